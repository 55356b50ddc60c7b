/** What `--parquet` of `tracewright export` loads: writes a trace into a folder of Parquet files. */

import { packageVersion } from '../../base/package-files.ts';
import { ParquetExport } from '../../export/parquet/parquet-export.ts';
import { removeLeftovers } from '../../export/parquet/table-files.ts';
import { endOf, tabledTrace } from '../../export/parquet/trace-tables.ts';
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import { countText } from '../../view/number-text.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { InterruptedError } from '../interruption.ts';
import { say, warn } from '../messages.ts';
import type { FilteredEvents } from '../trace/filtered-events.ts';

export interface ParquetFolder {
  readonly folder: string;
  readonly service: string | undefined;
  /** Names the frames of stacks. */
  readonly names: FrameNames;
}

export interface ParquetSource {
  readonly trace: Trace;
  readonly name: string;
  readonly events: FilteredEvents;
  readonly batches: AsyncIterable<readonly TraceEvent[]>;
}

/** @throws TraceError and InterruptedError after the events read so far have been written */
export async function exportParquet(source: ParquetSource, to: ParquetFolder): Promise<void> {
  const { trace, name, events } = source;
  removeLeftovers(to.folder);
  const exporter = new ParquetExport({
    folder: to.folder,
    trace: tabledTrace(trace, name),
    service: to.service,
    createdBy: `tracewright version ${packageVersion()}`,
    names: to.names,
  });
  let failure: TraceError | InterruptedError | undefined;
  try {
    failure = await writeEvents(source, exporter);
    await exporter.end({ ...endOf(trace), problem: failure });
  } catch (error) {
    await exporter.abandon();
    throw error;
  }
  if (!trace.info.hasWallTime)
    warn('The trace does not contain the time of day: its dates are those of 1970.');
  if (failure instanceof InterruptedError) {
    throw new Error(`Interrupted: ${to.folder} has the events read so far.`);
  }
  const { length } = exporter.files;
  say(`Exported ${countText(events.count, 'event')} into ${countText(length, 'file')} in ${to.folder}.`);
  if (failure !== undefined) throw failure;
}

async function writeEvents(
  { events, batches }: ParquetSource,
  exporter: ParquetExport,
): Promise<TraceError | InterruptedError | undefined> {
  try {
    for await (const batch of batches) {
      for (const event of batch) if (events.has(event)) exporter.add(event);
    }
    return undefined;
  } catch (error) {
    if (error instanceof TraceError || error instanceof InterruptedError) return error;
    throw error;
  }
}
