/** What `tracewright collect --parquet` loads: writes the events of processes into a folder of Parquet files. */
import { exportedTrace } from '../../export/exporter.ts';
import { ParquetExport } from '../../export/parquet/parquet-export.ts';
import { removeLeftovers } from '../../export/parquet/table-files.ts';
import { openTrace } from '../../trace/open-trace.ts';
import type { Trace } from '../../trace/trace.ts';
import { countText } from '../../view/number-text.ts';
import { say } from '../messages.ts';
import type { CollectionDestination } from './collection.ts';

interface ParquetDestination {
  readonly folder: string;
  /** The default is the name of each process. */
  readonly service: string | undefined;
  /** Milliseconds after which the events so far are in complete files. */
  readonly interval: number;
  /** The approximate size of a file in bytes; the default is that of exports. */
  readonly maxFileSize: number | undefined;
}

export function parquetDestination(to: ParquetDestination): CollectionDestination {
  let events = 0;
  let files = 0;
  removeLeftovers(to.folder);
  return {
    async take(stream, processName) {
      const trace = await openTrace(stream, { onDamage: 'warning' });
      const { processId } = trace.info;
      const parquet = new ParquetExport({
        folder: to.folder,
        trace: exportedTrace(trace, processId === undefined ? processName : `${processName}.${processId}`),
        service: to.service ?? processName,
        maxFileSize: to.maxFileSize,
      });
      await write(trace, parquet, to.interval).finally(() => {
        events += parquet.events;
        files += parquet.files.length;
      });
    },
    async end() {
      say(`Collected ${countText(events, 'event')} into ${countText(files, 'file')} in ${to.folder}.`);
      return undefined;
    },
  };
}

async function write(trace: Trace, parquet: ParquetExport, interval: number): Promise<void> {
  let rotating: Promise<void> | undefined;
  let problem: unknown;
  const timer = setInterval(() => {
    rotating = parquet.rotate().catch((error) => {
      problem ??= error;
    });
  }, interval);
  try {
    for await (const batch of trace.batches()) {
      for (const event of batch) parquet.add(event);
      if (problem !== undefined) throw problem;
    }
    clearInterval(timer);
    await rotating;
    await parquet.end(trace);
  } catch (error) {
    clearInterval(timer);
    await rotating;
    await parquet.abandon(true);
    throw error;
  }
}
