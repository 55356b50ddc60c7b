/** Reads perf.data made by tests, from memory or through a pipe. */

import type { OpenedSource } from '../../../lib/trace/byte-source.ts';
import { openPerfData } from '../../../lib/trace/perf-data/open-perf-data.ts';
import { MemorySource } from '../../../lib/trace/source/memory-source.ts';
import { openStream } from '../../../lib/trace/source/stream-source.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import type { TraceReader } from '../../../lib/trace/trace-reader.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';

export interface ReadTrace extends Pick<TraceReader, 'info' | 'progress'> {
  readonly events: readonly TraceEvent[];
  /** What ended the events. */
  readonly fault: TraceError | undefined;
}

export async function readSource(source: OpenedSource): Promise<ReadTrace> {
  const reader = await openPerfData(source, { manifests: [] });
  const events: TraceEvent[] = [];
  let fault: TraceError | undefined;
  try {
    for await (const batch of reader.batches()) events.push(...batch);
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    fault = error;
  }
  return { info: reader.info, progress: reader.progress, events, fault };
}

export const readBytes = (bytes: Uint8Array): Promise<ReadTrace> => readSource(new MemorySource(bytes));

/** Through a pipe that gives so many bytes at a time. */
export async function readPiped(bytes: Uint8Array, size: number): Promise<ReadTrace> {
  async function* chunks() {
    for (let offset = 0; offset < bytes.length; offset += size) yield bytes.slice(offset, offset + size);
  }
  return readSource(await openStream(chunks(), 'the pipe'));
}
