/** What `--parquet` of `tracewright export` loads: writes a trace into a folder of Parquet files. */
import { type TablesTarget, writeTraceTables } from '../../export/parquet/trace-tables.ts';
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { countText } from '../../view/number-text.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { InterruptedError } from '../interruption.ts';
import { say, warn } from '../messages.ts';
import type { FilteredEvents } from '../trace/filtered-events.ts';

interface ParquetSource {
  readonly trace: Trace;
  readonly events: FilteredEvents;
  readonly batches: AsyncIterable<readonly TraceEvent[]>;
}

/** @throws TraceError and InterruptedError after the events read so far have been written */
export async function exportParquet(
  { trace, events, batches }: ParquetSource,
  to: TablesTarget,
): Promise<void> {
  const { files, problem } = await writeTraceTables(trace, filtered(batches, events), { ...to, isEnd });
  if (!trace.info.hasWallTime)
    warn('The trace does not contain the time of day: its dates are those of 1970.');
  if (problem instanceof InterruptedError) {
    throw new Error(`Interrupted: ${to.folder} has the events read so far.`);
  }
  say(`Exported ${countText(events.count, 'event')} into ${countText(files, 'file')} in ${to.folder}.`);
  if (problem !== undefined) throw problem;
}

function isEnd(error: unknown): error is Error {
  return error instanceof TraceError || error instanceof InterruptedError;
}

async function* filtered(batches: ParquetSource['batches'], events: FilteredEvents) {
  for await (const batch of batches) yield batch.filter((event) => events.has(event));
}
