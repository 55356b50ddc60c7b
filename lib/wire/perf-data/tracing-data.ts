/**
 * The tracing data feature of a perf.data file: the formats of the recorded tracepoints, as trace-cmd
 * writes them. Source: trace-cmd.dat(5) and Linux `tools/perf/util/trace-event-read.c`.
 *
 * Its own byte order is told in it; sizes inside it are in that order.
 */
import { decodeUtf8 } from '../text.ts';
import { Cursor } from './cursor.ts';
import { PerfDataError } from './error.ts';
import { parseTracepointFormat, type TracepointFormat } from './tracepoint-format.ts';

/** 0x17 0x08 0x44 and `tracing`. */
const MAGIC = '\x17\bDtracing';
/** Page size, u32. */
const PAGE_SIZE_FIELD_SIZE = 4;

/**
 * @param bytes the whole file
 * @returns the formats by tracepoint id; formats of ftrace's own events are not among them
 * @throws PerfDataError
 */
export function readTracingData(
  bytes: Uint8Array,
  start: number,
  end: number,
): Map<number, TracepointFormat> {
  const head = new Cursor(bytes, true, start, end, 'the tracing data');
  if (decodeUtf8(head.take(MAGIC.length)) !== MAGIC) {
    throw new PerfDataError(start, 'The tracing data does not start with its magic bytes.');
  }
  head.terminatedText(); // version
  const littleEndian = head.uint8() === 0;
  head.skip(1); // bytes of a long
  const cursor = new Cursor(bytes, littleEndian, head.offset, end, 'the tracing data');
  cursor.skip(PAGE_SIZE_FIELD_SIZE);
  skipNamedBlock(cursor, 'header_page');
  skipNamedBlock(cursor, 'header_event');
  const ftraceCount = cursor.uint32();
  for (let i = 0; i < ftraceCount; i++) cursor.skip(cursor.size64());

  const formats = new Map<number, TracepointFormat>();
  const systemCount = cursor.uint32();
  for (let i = 0; i < systemCount; i++) {
    const system = cursor.terminatedText();
    const formatCount = cursor.uint32();
    for (let j = 0; j < formatCount; j++) {
      const at = cursor.offset;
      const format = parseTracepointFormat(system, decodeUtf8(cursor.take(cursor.size64())));
      if (format === undefined) throw new PerfDataError(at, `A format of "${system}" has no name or no id.`);
      formats.set(format.id, format);
    }
  }
  return formats;
}

function skipNamedBlock(cursor: Cursor, name: string): void {
  const at = cursor.offset;
  const found = cursor.terminatedText();
  if (found !== name) throw new PerfDataError(at, `The tracing data has "${found}" where "${name}" belongs.`);
  cursor.skip(cursor.size64());
}
