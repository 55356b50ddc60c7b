/** The formats of recorded tracepoints, as a perf.data holds them. */
import { readFileSync } from 'node:fs';
import { tracingData } from '../../wire/perf-data/write/tracing-data.ts';
import type { RecordedTracepoint } from './recorded-tracepoints.ts';
import type { Tracefs } from './tracefs.ts';

export function tracepointFormats(tracefs: Tracefs, tracepoints: readonly RecordedTracepoint[]): Uint8Array {
  const formats = new Map<string, Uint8Array[]>();
  for (const { system, format } of tracepoints) {
    const ofSystem = formats.get(system) ?? [];
    ofSystem.push(format);
    formats.set(system, ofSystem);
  }
  return tracingData({
    pageSize: pageSize(),
    headerPage: tracefs.read('events/header_page'),
    headerEvent: tracefs.read('events/header_event'),
    formats,
    savedCommandLines: tracefs.read('saved_cmdlines'),
  });
}

function pageSize(): number {
  const kibibytes = /^KernelPageSize:\s*(\d+) kB$/m.exec(readFileSync('/proc/self/smaps', 'utf8'))?.[1];
  return 1024 * Number(kibibytes ?? 4);
}
