/** The formats of profiles by the extension of a file, for `tracewright export` and `collect`. */

export const PROFILE_FORMATS = ['pprof', 'cpuprofile', 'otlp-profiles'] as const;

export interface ProfileFormat {
  readonly format: (typeof PROFILE_FORMATS)[number];
  /** This is for `otlp-profiles` only. */
  readonly encoding: 'json' | 'protobuf';
}

const SUFFIXES: readonly (readonly [suffix: string, format: ProfileFormat['format']])[] = [
  ['.pb.gz', 'pprof'],
  ['.pprof', 'pprof'],
  ['.cpuprofile', 'cpuprofile'],
  ['.profiles.jsonl', 'otlp-profiles'],
  ['.profiles.pb', 'otlp-profiles'],
];

/** Returns undefined for a file that is no profile. */
export function profileFormat(output: string): ProfileFormat | undefined {
  const format = SUFFIXES.find(([suffix]) => output.toLowerCase().endsWith(suffix))?.[1];
  return format && { format, encoding: otlpEncoding(output) };
}

/** What is written as OTLP is JSON, unless the file's extension says otherwise. */
export function otlpEncoding(output: string): 'json' | 'protobuf' {
  return output.toLowerCase().endsWith('.pb') ? 'protobuf' : 'json';
}
