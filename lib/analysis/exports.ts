/** Traces in the formats of other tools, as `tracewright export` writes them. */
import { basename } from 'node:path';
import type { ExportedTrace, Exporter } from '../export/exporter.ts';
import type { Trace } from '../trace/trace.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';

/** See docs/exports.md; `otlp` and `otlp-profiles` are in JSON lines. */
export type ExportFormat =
  | 'perfetto'
  | 'speedscope'
  | 'csv'
  | 'nettrace'
  | 'otlp'
  | 'otlp-protobuf'
  | 'pprof'
  | 'cpuprofile'
  | 'otlp-profiles'
  | 'otlp-profiles-protobuf';

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
  const makeExporter = Object.hasOwn(EXPORTERS, format) ? EXPORTERS[format] : undefined;
  if (makeExporter === undefined) {
    const formats = Object.keys(EXPORTERS).join(', ');
    throw new TypeError(`exportTrace takes one of the formats ${formats}, not ${String(format)}.`);
  }
  const { info } = trace;
  const exported: ExportedTrace = {
    name: options.name ?? basename(trace.name),
    info,
    get processNames() {
      return trace.processNames;
    },
  };
  const exporter = await makeExporter(exported, options);
  for await (const batch of wantedEvents(trace, options)) {
    for (const event of batch) {
      exporter.add(event);
      if (exporter.isFull) yield exporter.take();
    }
  }
  yield* exporter.end(trace);
}

/** Each loads what its format needs. */
const EXPORTERS: Readonly<
  Record<ExportFormat, (trace: ExportedTrace, options: ExportOptions) => Promise<Exporter>>
> = {
  perfetto: async (trace, options) =>
    new (await import('../export/perfetto-export.ts')).PerfettoExport(trace, await namesIn(options)),
  speedscope: async (trace, options) =>
    new (await import('../export/speedscope-export.ts')).SpeedscopeExport(trace, await namesIn(options)),
  csv: async () => new (await import('../export/csv-export.ts')).CsvExport(),
  nettrace: async (trace, { nettraceVersion = 6 }) =>
    new (await import('../export/nettrace-export.ts')).NetTraceExport(nettraceVersion, trace),
  otlp: async (trace) => new (await import('../export/otlp-export.ts')).OtlpExport('json', trace),
  'otlp-protobuf': async (trace) =>
    new (await import('../export/otlp-export.ts')).OtlpExport('protobuf', trace),
  pprof: async (trace, options) =>
    new (await import('../export/pprof-export.ts')).PprofExport(trace, await namesIn(options)),
  cpuprofile: async (trace, options) =>
    new (await import('../export/cpuprofile-export.ts')).CpuprofileExport(trace, await namesIn(options)),
  'otlp-profiles': (trace, options) => profiles('json', trace, options),
  'otlp-profiles-protobuf': (trace, options) => profiles('protobuf', trace, options),
};

async function profiles(
  encoding: 'json' | 'protobuf',
  trace: ExportedTrace,
  options: ExportOptions,
): Promise<Exporter> {
  const { OtlpProfileExport } = await import('../export/otlp-profile-export.ts');
  return new OtlpProfileExport(encoding, trace, await namesIn(options));
}

/**
 * Writes the trace as tables into a folder of Parquet files, which several traces can share.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`; what came before the
 * damage is in the tables
 */
export async function exportTables(trace: Trace, folder: string, options: TablesOptions = {}): Promise<void> {
  const { writeTraceTables } = await import('../export/parquet/trace-tables.ts');
  const { service, name = basename(trace.name) } = options;
  const target = { name, folder, names: await namesIn(options), service };
  const problem = await writeTraceTables(trace, wantedEvents(trace, options), target);
  if (problem !== undefined) throw problem;
}

async function namesIn(folders: FrameFolders) {
  return (await import('../view/cpu/frame-folders.ts')).frameNamesIn(folders);
}

async function* wantedEvents(trace: Trace, { isWanted }: Pick<ExportOptions, 'isWanted'>) {
  for await (const batch of trace.batches()) yield isWanted === undefined ? batch : batch.filter(isWanted);
}
