/** Exports traces in memory, and reads events back. */

import type { ExportedTrace, Exporter } from '../../lib/export/exporter.ts';
import { openTrace } from '../../lib/trace/open-trace.ts';
import type { Trace } from '../../lib/trace/trace.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import type { TraceInfo } from '../../lib/trace/trace-reader.ts';

export interface Exported {
  readonly trace: Trace;
  readonly events: readonly TraceEvent[];
  readonly bytes: Uint8Array;
  readonly notices: readonly string[];
}

/** The whole trace, as a command would export it. */
export async function exportTrace(
  source: string | Uint8Array,
  make: (trace: ExportedTrace) => Exporter,
  manifests: readonly string[] = [],
): Promise<Exported> {
  const trace = await openTrace(source, { manifests, onDamage: 'warning' });
  const exporter = make({ name: trace.name, info: trace.info });
  const events: TraceEvent[] = [];
  const pieces: Uint8Array[] = [];
  for await (const batch of trace.batches()) {
    for (const event of batch) {
      events.push(event);
      exporter.add(event);
      if (exporter.isFull) pieces.push(Buffer.from(exporter.take()));
    }
  }
  for (const piece of exporter.end(trace)) pieces.push(Buffer.from(piece));
  return { trace, events, bytes: new Uint8Array(Buffer.concat(pieces)), notices: exporter.notices };
}

const INFO: TraceInfo = {
  format: 'nettrace',
  startTime: 0n,
  hasWallTime: true,
  pointerSize: 8,
  properties: {},
};

/** Events that were written for the test. */
export function exportEvents(
  events: readonly TraceEvent[],
  make: (trace: ExportedTrace) => Exporter,
  { info = INFO, processNames = new Map<number, string>(), lostEvents = 0 } = {},
): { readonly text: string; readonly bytes: Uint8Array; readonly notices: readonly string[] } {
  const exporter = make({ name: 'test', info });
  const pieces: Uint8Array[] = [];
  for (const event of events) {
    exporter.add(event);
    if (exporter.isFull) pieces.push(Buffer.from(exporter.take()));
  }
  for (const piece of exporter.end({ lostEvents, processNames })) pieces.push(Buffer.from(piece));
  const bytes = new Uint8Array(Buffer.concat(pieces));
  return { text: Buffer.from(bytes).toString(), bytes, notices: exporter.notices };
}
