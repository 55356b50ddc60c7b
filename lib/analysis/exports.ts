/** Traces as files: in the formats of other tools, as `tracewright export` writes them, and as `tracewright report` does. */
import { basename } from 'node:path';
import { exportedTrace } from '../export/exporter.ts';
import { EXPORTERS, type ExportFormat } from '../export/exporters.ts';
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';

export interface ExportOptions extends FrameFolders {
  /** Whether to export the event; by default, all are. */
  readonly isWanted?: (event: TraceEvent) => boolean;
  /** What the export calls the trace; by default, the name of its file. */
  readonly name?: string;
  /** The version of nettrace: 6 (the default), or 4 for tools before .NET 10. */
  readonly nettraceVersion?: 4 | 6;
}

export interface TablesOptions extends Omit<ExportOptions, 'nettraceVersion'> {
  /** The service of all rows; by default, the names of their processes. */
  readonly service?: string;
}

export interface ReportOptions extends FrameFolders {
  /** What the report calls the trace; by default, the name of its file. */
  readonly name?: string;
}

/**
 * Reads the trace to its end, and returns the contents of a file in chunks: `await pipeline(exportTrace(trace,
 * 'perfetto'), createWriteStream('trace.pftrace'))`.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function* exportTrace(
  trace: Trace,
  format: ExportFormat,
  options: ExportOptions = {},
): AsyncGenerator<string | Uint8Array, void, undefined> {
  const loadExporter = Object.hasOwn(EXPORTERS, format) ? EXPORTERS[format] : undefined;
  if (loadExporter === undefined) {
    const formats = Object.keys(EXPORTERS).join(', ');
    throw new TypeError(`exportTrace takes one of the formats ${formats}, not ${String(format)}.`);
  }
  const exported = exportedTrace(trace, options.name ?? basename(trace.name));
  const exporter = await loadExporter(exported, options);
  for await (const batch of wantedEvents(trace, options)) {
    for (const event of batch) {
      exporter.add(event);
      if (exporter.isFull) yield exporter.take();
    }
  }
  yield* exporter.end(trace);
}

/**
 * Writes the trace as tables into a folder of Parquet files, which several traces can share.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`; what came before the
 * damage is in the tables
 */
export async function exportTables(trace: Trace, folder: string, options: TablesOptions = {}): Promise<void> {
  const { writeTraceTables } = await import('../export/parquet/trace-tables.ts');
  const { name = basename(trace.name) } = options;
  const batches = wantedEvents(trace, options);
  const { problem } = await writeTraceTables(trace, batches, { ...options, name, folder });
  if (problem !== undefined) throw problem;
}

async function* wantedEvents(trace: Trace, { isWanted }: Pick<ExportOptions, 'isWanted'>) {
  for await (const batch of trace.batches()) yield isWanted === undefined ? batch : batch.filter(isWanted);
}

/**
 * Reads the trace to its end, and returns the report's HTML in chunks, for a file: `await
 * pipeline(reportTrace(trace), createWriteStream('report.html'))`.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function* reportTrace(
  trace: Trace,
  options: ReportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const [{ TraceReport }, { reportedTrace }, { reportHtml }, { frameNamesIn }] = await Promise.all([
    import('../view/report/trace-report.ts'),
    import('../view/report/reported-trace.ts'),
    import('../view/report/report-html.ts'),
    import('../view/cpu/frame-folders.ts'),
  ]);
  const report = new TraceReport(undefined, frameNamesIn(options));
  for await (const batch of trace.batches()) for (const event of batch) report.add(event);
  yield* reportHtml(report.content(reportedTrace(trace, options.name ?? basename(trace.name))));
}
