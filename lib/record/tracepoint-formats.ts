/** The formats of recorded tracepoints, as stored in a perf.data. */
import { readFileSync } from 'node:fs';
import type { TracingData } from '../wire/perf-data/write/tracing-data.ts';
import type { RecordedTracepoint } from './recorded-tracepoints.ts';
import type { TracefsFiles } from './tracefs.ts';

/** @param savedCommandLines the names of threads, if they are to be included */
export function tracepointFormats(
  tracefs: Pick<TracefsFiles, 'headerPage' | 'headerEvent'>,
  tracepoints: readonly RecordedTracepoint[],
  savedCommandLines: Uint8Array = new Uint8Array(0),
): TracingData {
  const formats = new Map<string, Uint8Array[]>();
  for (const { system, format } of tracepoints) {
    const ofSystem = formats.get(system) ?? [];
    ofSystem.push(format);
    formats.set(system, ofSystem);
  }
  return {
    pageSize: pageSize(),
    headerPage: tracefs.headerPage,
    headerEvent: tracefs.headerEvent,
    formats,
    savedCommandLines,
  };
}

let knownPageSize: number | undefined;

function pageSize(): number {
  knownPageSize ??= readPageSize();
  return knownPageSize;
}

function readPageSize(): number {
  const kibibytes = /^KernelPageSize:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'utf8'))?.[1];
  return 1024 * Number(kibibytes ?? 4);
}
