/** Writes the tables of a trace into a folder of Parquet files. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { type FrameFolders, frameNamesIn } from '../../view/cpu/frame-folders.ts';
import { TraceError } from '../../wire/trace-error.ts';
import { exportedTrace } from '../exporter.ts';
import { ParquetExport } from './parquet-export.ts';
import { removeLeftovers } from './table-files.ts';

export interface TablesTarget extends FrameFolders {
  /** The name of the trace in its column. */
  readonly name: string;
  readonly folder: string;
  /** The service of all rows; by default, the names of their processes. */
  readonly service?: string | undefined;
  /** Whether an error ends the trace early, as its damage does: the tables are complete up to there. */
  readonly isEnd?: (error: unknown) => error is Error;
}

interface WrittenTables {
  /** The number of files. */
  readonly files: number;
  /** This error has ended the trace early, after the events before it had been written. */
  readonly problem: Error | undefined;
}

/** @throws the system's error, or that of `batches`: the folder is as before then */
export async function writeTraceTables(
  trace: Trace,
  batches: AsyncIterable<readonly TraceEvent[]>,
  { name, folder, service, isEnd = isDamage, ...frameFolders }: TablesTarget,
): Promise<WrittenTables> {
  removeLeftovers(folder);
  const names = frameNamesIn(frameFolders);
  const tables = new ParquetExport({ folder, trace: exportedTrace(trace, name), names, service });
  let problem: Error | undefined;
  try {
    try {
      for await (const batch of batches) for (const event of batch) tables.add(event);
    } catch (error) {
      if (!isEnd(error)) throw error;
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
  } catch (error) {
    await tables.abandon();
    throw error;
  }
  return { files: tables.files.length, problem };
}

function isDamage(error: unknown): error is TraceError {
  return error instanceof TraceError;
}
