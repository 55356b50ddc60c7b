/** Reads .etl bytes as a trace, for tests. */

import { openEtl } from '../../../lib/trace/etl/open-etl.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import type { TmfFinder, TraceReader } from '../../../lib/trace/trace-reader.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';
import { eventRecord, RAW_START } from '../../wire/etl/etl-bytes.ts';

export interface ReadTrace {
  readonly reader: TraceReader;
  readonly events: readonly TraceEvent[];
  /** What the reading ended with. */
  readonly error: TraceError | undefined;
}

export async function readEtl(
  bytes: Uint8Array,
  manifests: readonly string[] = [],
  tmf: readonly string[] | TmfFinder = [],
): Promise<ReadTrace> {
  const reader = await openEtl(new MemorySource(bytes), { manifests, tmf });
  const events: TraceEvent[] = [];
  try {
    for await (const batch of reader.batches()) events.push(...batch);
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    return { reader, events, error };
  }
  return { reader, events, error: undefined };
}

/** An event so many ticks of 100 ns after the start. */
export const at = (ticks: number, id = ticks) => eventRecord({ time: RAW_START + BigInt(ticks), id });

export const idsOf = (events: readonly TraceEvent[]) => events.map(({ id }) => id);
