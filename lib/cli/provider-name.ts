/** Finding a provider's events by the name that its source defines, whatever the system has made of that. */
import type { TraceEvent } from '../trace/trace-event.ts';
import { tracepointProviderName } from '../wire/eventheader/tracepoint-name.ts';
import { isGuidText } from '../wire/guid.ts';

type OfProvider = Pick<TraceEvent, 'provider' | 'providerGuid'>;

/** @param text a name, `*` in it for any text, or a GUID */
export function providerTest(text: string): (event: OfProvider) => boolean {
  if (isGuidText(text)) {
    const guid = text.toLowerCase();
    return (event) => event.providerGuid === guid;
  }
  const [matches, matchesTracepoint] = [glob(text), glob(tracepointProviderPattern(text))];
  return ({ provider, providerGuid }) =>
    matches(provider) || (providerGuid === undefined && matchesTracepoint(provider));
}

/**
 * The names that tracepoints have for it: events of Linux tell their provider by those alone. Where there is a GUID,
 * the name beside it is the provider's own.
 */
export function tracepointProviderPattern(text: string): string {
  const [first = '', ...others] = text.split('*');
  return [tracepointProviderName(first), ...others.map((part) => part.replace(/[^A-Za-z0-9_]/g, '_'))].join(
    '*',
  );
}

/** A test of texts against one with `*` for any text, whatever the case. */
export function glob(pattern: string): (text: string) => boolean {
  const parts = pattern.split('*').map((part) => part.replace(/[\\^$.+?()[\]{}|/]/g, '\\$&'));
  const expression = new RegExp(`^${parts.join('.*')}$`, 'isu');
  return (text) => expression.test(text);
}
