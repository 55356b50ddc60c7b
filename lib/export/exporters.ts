/** The exporter of each format of a single file. */

import type { Trace } from '../trace/trace.ts';
import { type FrameFolders, frameNamesIn } from '../view/cpu/frame-folders.ts';
import type { ExportedPiece, ExportedTrace, Exporter } from './exporter.ts';
import type { OtlpProfileExport } from './otlp-profile-export.ts';

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

export interface ExporterOptions extends FrameFolders {
  /** The version of nettrace: 6 (the default), or 4 for tools before .NET 10. */
  readonly nettraceVersion?: 4 | 6 | undefined;
  /** Fields that have a column of their own in csv. */
  readonly columns?: readonly string[] | undefined;
}

/** Loads what the format needs. */
type LoadExporter = (trace: ExportedTrace, options: ExporterOptions) => Promise<Exporter>;

export const EXPORTERS: Readonly<Record<ExportFormat, LoadExporter>> = {
  perfetto: async (trace, folders) =>
    new (await import('./perfetto-export.ts')).PerfettoExport(trace, frameNamesIn(folders)),
  speedscope: async (trace, folders) =>
    new (await import('./speedscope-export.ts')).SpeedscopeExport(trace, frameNamesIn(folders)),
  csv: async (_, { columns }) => new (await import('./csv-export.ts')).CsvExport(columns),
  nettrace: async (trace, { nettraceVersion = 6 }) =>
    new (await import('./nettrace-export.ts')).NetTraceExport(nettraceVersion, trace),
  otlp: async (trace) => new (await import('./otlp-export.ts')).OtlpExport('json', trace),
  'otlp-protobuf': async (trace) => new (await import('./otlp-export.ts')).OtlpExport('protobuf', trace),
  pprof: async (trace, folders) =>
    new (await import('./pprof-export.ts')).PprofExport(trace, frameNamesIn(folders)),
  cpuprofile: async (trace, folders) =>
    new (await import('./cpuprofile-export.ts')).CpuprofileExport(trace, frameNamesIn(folders)),
  'otlp-profiles': (trace, folders) => otlpProfiles('json', trace, folders),
  'otlp-profiles-protobuf': (trace, folders) => otlpProfiles('protobuf', trace, folders),
};

export async function otlpProfiles(
  encoding: 'json' | 'protobuf',
  trace: ExportedTrace,
  folders: FrameFolders,
  hasSpans = true,
): Promise<OtlpProfileExport> {
  const loaded = await import('./otlp-profile-export.ts');
  return new loaded.OtlpProfileExport(encoding, trace, frameNamesIn(folders), hasSpans);
}

/** The pieces of an export that cannot be streamed: profiles. */
export async function* wholeExport(
  trace: Trace,
  exporter: Exporter,
): AsyncGenerator<ExportedPiece, void, undefined> {
  for await (const batch of trace.batches()) for (const event of batch) exporter.add(event);
  yield* exporter.end(trace);
}
