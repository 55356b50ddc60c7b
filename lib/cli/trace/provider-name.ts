/** Matches a provider's events by the name that its source defines, however the system has altered it. */
import { glob } from '../../base/glob.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { tracepointProviderName } from '../../wire/eventheader/tracepoint-name.ts';
import { isGuidText } from '../../wire/guid.ts';

type OfProvider = Pick<TraceEvent, 'provider' | 'providerGuid'>;

/** @param text a name, with `*` for any text, or a GUID */
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
 * The names that tracepoints give it: on Linux, only they identify an event's provider. If there is a GUID, the name
 * with it is the provider's own.
 */
export function tracepointProviderPattern(text: string): string {
  const [first = '', ...others] = text.split('*');
  return [tracepointProviderName(first), ...others.map((part) => part.replace(/[^A-Za-z0-9_]/g, '_'))].join(
    '*',
  );
}
