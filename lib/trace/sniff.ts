/** Distinguishes trace formats by their first bytes; file names do not matter. */

import { hexText } from '../base/bytes.ts';
import { isPerfettoHead } from '../wire/perfetto/packet-splitter.ts';
import { TraceError } from '../wire/trace-error.ts';
import type { TraceFormat } from './trace-reader.ts';

const PERF_MAGICS = ['PERFILE2', '2ELIFREP'];
const TRACE_DAT_MAGIC = '\x17\bDtracing';
const NETTRACE_MAGIC = 'Nettrace';
/** The magic follows its own length in 4 bytes. */
const NETPERF_MAGIC = '!FastSerialization.1';

/** An ETW buffer's header has its type at this position; a file begins with a buffer of the type below. */
const ETL_BUFFER_TYPE_OFFSET = 0x36;
const ETL_HEADER_BUFFER = 4;
/** The position of the upper half of the first record's marker, and its two possible values. */
const ETL_MARKER_OFFSET = 0x4a;
const ETL_SYSTEM_MARKERS = [0xc001, 0xc002];

/** @returns undefined if the format is unknown */
export function formatOf(head: Uint8Array): TraceFormat | undefined {
  const text = Buffer.from(head.subarray(0, 24)).toString('latin1');
  if (PERF_MAGICS.includes(text.slice(0, 8))) return 'perf.data';
  if (text.startsWith(TRACE_DAT_MAGIC)) return 'trace.dat';
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
  return isPerfettoHead(head) ? 'perfetto' : undefined;
}

export function unrecognized(name: string, head: Uint8Array): TraceError {
  const message =
    head.length === 0
      ? `${name} is empty.`
      : `${name} is not a supported trace (.etl, .nettrace, .netperf, perf.data, trace.dat, .pftrace, plain or in gzip, zstd or zip): it starts with ${hexText(head.subarray(0, 8), ' ')}.`;
  return new TraceError('unrecognized', 0, message);
}
