/** Writes the tables of a trace into a folder of Parquet files. */
import type { Trace } from '../../trace/trace.ts';
import { TraceError } from '../../trace/trace-error.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { FrameNames } from '../../view/cpu/frame-names.ts';
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
    trace: {
      name,
      info: trace.info,
      get processNames() {
        return trace.processNames;
      },
      get kernelProcesses() {
        return trace.kernelProcesses;
      },
    },
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
  const { lostEvents, lostBuffers, lateEvents, processNames, mappings } = trace;
  await tables.end({
    lostEvents,
    lostBuffers,
    lateEvents,
    processNames,
    mappings,
    problem: problem ?? trace.problem,
  });
  return problem;
}
