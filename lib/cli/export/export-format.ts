/** The formats of exports by the extension of a file, for `tracewright export` and `collect`. */
import type { ExportFormat } from '../../export/exporters.ts';

/** What `--format` takes. */
export type Format = Exclude<ExportFormat, `${string}-protobuf`>;

const PROFILE_SUFFIXES: readonly (readonly [suffix: string, format: Format])[] = [
  ['.pb.gz', 'pprof'],
  ['.pprof', 'pprof'],
  ['.cpuprofile', 'cpuprofile'],
  ['.profiles.jsonl', 'otlp-profiles'],
  ['.profiles.pb', 'otlp-profiles'],
];

const SUFFIXES: readonly (readonly [suffix: string, format: Format])[] = [
  ...PROFILE_SUFFIXES,
  ['.speedscope.json', 'speedscope'],
  ['.otlp.json', 'otlp'],
  ['.jsonl', 'otlp'],
  ['.pb', 'otlp'],
  ['.pftrace', 'perfetto'],
  ['.perfetto-trace', 'perfetto'],
  ['.csv', 'csv'],
  ['.nettrace', 'nettrace'],
];

/** Returns undefined for a file whose extension is that of no format. */
export function formatOfFile(output: string): Format | undefined {
  return ofSuffix(SUFFIXES, output);
}

/** Returns undefined for a file that is no profile. */
export function profileFormat(output: string): ExportFormat | undefined {
  const format = ofSuffix(PROFILE_SUFFIXES, output);
  return format && encodedFormat(format, output);
}

/** What is written as OTLP is JSON, unless the file's extension says otherwise. */
export function encodedFormat(format: Format, output: string): ExportFormat {
  const isOtlp = format === 'otlp' || format === 'otlp-profiles';
  return isOtlp && output.toLowerCase().endsWith('.pb') ? `${format}-protobuf` : format;
}

function ofSuffix(suffixes: typeof SUFFIXES, output: string): Format | undefined {
  const lower = output.toLowerCase();
  return suffixes.find(([suffix]) => lower.endsWith(suffix))?.[1];
}
