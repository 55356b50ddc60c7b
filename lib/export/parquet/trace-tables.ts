/** Writes the tables of a trace into a folder of Parquet files. */

import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { ParquetExport } from './parquet-export.ts';

export interface TablesTarget {
  /** The name of the trace in its column. */
  readonly name: string;
  readonly folder: string;
  /** Names the frames of stacks. */
  readonly names: FrameNames;
  /** The service of all rows; by default, the names of their processes. */
  readonly service?: string | undefined;
}

/** @returns the error that ends the trace early, after the events before it have been written */
export async function writeTraceTables(
  trace: Trace,
  batches: AsyncIterable<readonly TraceEvent[]>,
  { name, folder, names, service }: TablesTarget,
): Promise<TraceError | undefined> {
  const tables = new ParquetExport({
    folder,
    trace: tabledTrace(trace, name),
    createdBy: 'tracewright',
    names,
    service,
  });
  let problem: TraceError | undefined;
  try {
    for await (const batch of batches) for (const event of batch) tables.add(event);
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    problem = error;
  }
  await tables.end({ ...endOf(trace), problem: problem ?? trace.problem });
  return problem;
}

/** What the tables need to know of a trace while it is read: names of processes come with its events. */
export function tabledTrace(trace: Trace, name: string) {
  return {
    name,
    info: trace.info,
    get processNames() {
      return trace.processNames;
    },
    get kernelProcesses() {
      return trace.kernelProcesses;
    },
  };
}

/** What is known of a trace when it has been read. */
export function endOf({ lostEvents, lostBuffers, lateEvents, processNames, mappings }: Trace) {
  return { lostEvents, lostBuffers, lateEvents, processNames, mappings };
}
