/** The trace that a session wrote: held to the rules of the format, and read. */
import { expect } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { checkNetTrace } from '../../wire/nettrace/write/nettrace-checker.ts';

export async function readSession(bytes: Uint8Array) {
  const checked = checkNetTrace(new Uint8Array(bytes));
  const trace = await openTrace(new Uint8Array(bytes));
  const events: TraceEvent[] = [];
  for await (const batch of trace.batches()) events.push(...batch);
  expect(trace.problem).toBeUndefined();
  return { checked, trace, events };
}
