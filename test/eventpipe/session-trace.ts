/** A session's trace, checked against the rules of the format and read back. */
import { expect } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { readTrace } from '../wire/nettrace/nettrace-bytes.ts';
import { checkNetTrace } from '../wire/nettrace/write/nettrace-checker.ts';

export async function readSession(bytes: Uint8Array) {
  const checked = checkNetTrace(new Uint8Array(bytes));
  const trace = await openTrace(new Uint8Array(bytes));
  const events: TraceEvent[] = [];
  for await (const batch of trace.batches()) events.push(...batch);
  expect(trace.problem).toBeUndefined();
  layoutsById(bytes);
  return { checked, trace, events };
}

/** What readers that know events by provider and id take them for. @throws Error where an id has two layouts */
export function layoutsById(bytes: Uint8Array): Map<string, string> {
  const layouts = new Map<string, string>();
  for (const { metadata } of readTrace(new Uint8Array(bytes), 1 << 14).events) {
    const key = `${metadata.provider} ${metadata.eventId}`;
    const layout = [metadata.name, ...metadata.fields.map(({ name }) => name)].join(' ');
    const known = layouts.get(key) ?? layout;
    if (known !== layout) throw new Error(`${key} is ${known} and ${layout}.`);
    layouts.set(key, layout);
  }
  return layouts;
}
