/** Tells the formats of traces apart by what they start with; names of files say nothing. */
import { hexText } from '../wire/bytes.ts';
import { TraceError } from './trace-error.ts';
import type { TraceFormat } from './trace-reader.ts';

const PERF_MAGICS = ['PERFILE2', '2ELIFREP'];
const NETTRACE_MAGIC = 'Nettrace';
/** Behind its own length in 4 bytes. */
const NETPERF_MAGIC = '!FastSerialization.1';

/** In an ETW buffer's header: where its type stands, and the type of the first one of a file. */
const ETL_BUFFER_TYPE_OFFSET = 0x36;
const ETL_HEADER_BUFFER = 4;
/** Where the first record has its marker's upper half, and what it is of the two kinds that it can have. */
const ETL_MARKER_OFFSET = 0x4a;
const ETL_SYSTEM_MARKERS = [0xc001, 0xc002];

/** @returns undefined where the bytes are of no format that is known here */
export function formatOf(head: Uint8Array): TraceFormat | undefined {
  const text = Buffer.from(head.subarray(0, 24)).toString('latin1');
  if (PERF_MAGICS.includes(text.slice(0, 8))) return 'perf.data';
  if (text.startsWith(NETTRACE_MAGIC)) return 'nettrace';
  if (text.slice(4) === NETPERF_MAGIC) return 'netperf';
  const view = new DataView(head.buffer, head.byteOffset, head.length);
  if (
    head.length >= ETL_MARKER_OFFSET + 2 &&
    view.getUint16(ETL_BUFFER_TYPE_OFFSET, true) === ETL_HEADER_BUFFER &&
    ETL_SYSTEM_MARKERS.includes(view.getUint16(ETL_MARKER_OFFSET, true))
  ) {
    return 'etl';
  }
  return undefined;
}

/** What trace-cmd's trace.dat starts with. */
const TRACE_CMD_MAGIC = '\x17\x08Dtracing';

export function unrecognized(name: string, head: Uint8Array): TraceError {
  const isOfTraceCmd =
    Buffer.from(head.subarray(0, TRACE_CMD_MAGIC.length)).toString('latin1') === TRACE_CMD_MAGIC;
  const message =
    head.length === 0
      ? `${name} is empty.`
      : isOfTraceCmd
        ? `${name} is a trace.dat, which only trace-cmd reads: "trace-cmd report" shows it, and "perf record" or "tracewright record" records what is read here.`
        : `${name} is no trace that is known here (.etl, .nettrace, .netperf, perf.data, also in gzip or zip): it starts with ${hexText(head.subarray(0, 8), ' ')}.`;
  return new TraceError('unrecognized', 0, message);
}
