/**
 * The tracing data feature of a perf.data file: the formats of the recorded tracepoints, as written by trace-cmd.
 * Source: trace-cmd.dat(5) and Linux `tools/perf/util/trace-event-read.c`.
 *
 * It declares its own byte order, in which its sizes are.
 */

import { decodeUtf8 } from '../text.ts';
import { TraceError } from '../trace-error.ts';
import type { Cursor } from './cursor.ts';
import type { PerfSession } from './session.ts';
import { parseTracepointFormat } from './tracepoint-format.ts';

/** 0x17 0x08 0x44 and `tracing`. */
const MAGIC = '\x17\bDtracing';
/** Page size, u32. */
const PAGE_SIZE_FIELD_SIZE = 4;

/**
 * Adds the formats to the session; those of ftrace's own events are skipped.
 * @throws TraceError
 */
export function readTracingData(head: Cursor, session: PerfSession): void {
  const start = head.position;
  if (decodeUtf8(head.take(MAGIC.length)) !== MAGIC) {
    throw new TraceError('malformed', start, 'The tracing data does not start with its magic bytes.');
  }
  head.terminatedText(); // version
  const littleEndian = head.uint8() === 0;
  session.pointerSize = head.uint8() === 4 ? 4 : 8; // bytes of a long
  const cursor = head.inOrder(littleEndian);
  cursor.skip(PAGE_SIZE_FIELD_SIZE);
  readHeaderFormats(cursor);
  readFtraceFormats(cursor);
  readEventFormats(cursor, session);
}

/** @returns the text of tracefs's `events/header_page` */
export function readHeaderFormats(cursor: Cursor): string {
  const headerPage = readNamedBlock(cursor, 'header_page');
  readNamedBlock(cursor, 'header_event');
  return decodeUtf8(headerPage);
}

/** @returns the formats of ftrace's own events */
export function readFtraceFormats(cursor: Cursor): string[] {
  const formats: string[] = [];
  const count = cursor.uint32();
  for (let i = 0; i < count; i++) formats.push(decodeUtf8(cursor.take(cursor.size64())));
  return formats;
}

/** Adds the formats of all other events to the session. */
export function readEventFormats(cursor: Cursor, session: PerfSession): void {
  let unreadable = 0;
  const systemCount = cursor.uint32();
  for (let i = 0; i < systemCount; i++) {
    const system = cursor.terminatedText();
    const formatCount = cursor.uint32();
    for (let j = 0; j < formatCount; j++) {
      const format = parseTracepointFormat(system, decodeUtf8(cursor.take(cursor.size64())));
      if (format === undefined) unreadable++;
      else session.tracepoints.set(format.id, format);
    }
  }
  if (unreadable > 0) {
    session.problems.push(`Tracepoint formats without a name or an id are ignored: ${unreadable}.`);
  }
}

function readNamedBlock(cursor: Cursor, name: string): Uint8Array {
  const at = cursor.position;
  const found = cursor.terminatedText();
  if (found !== name) {
    throw new TraceError('malformed', at, `The tracing data has "${found}" in place of "${name}".`);
  }
  return cursor.take(cursor.size64());
}
