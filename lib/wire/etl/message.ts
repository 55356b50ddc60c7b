/**
 * Messages of WPP (TraceMessage): size u16, marker u16, number u16, options u16; then what the options say is
 * there, in this order: sequence u32; component id u32, or else the message's GUID; time i64; thread u32 and
 * process u32. What follows are arguments, whose text and types only the program's symbols tell.
 * Source: Windows SDK `evntrace.h`, MESSAGE_TRACE_HEADER and TRACE_MESSAGE_*.
 */

import type { EtlRecord } from './buffer.ts';
import { MessageOption } from './constants.ts';

const HEADER_SIZE = 8;

export interface MessageHeader {
  readonly number: number;
  readonly pointerSize: 4 | 8;
  /** Where in the buffer the parts stand; 0: there is none. */
  readonly guid: number;
  readonly time: number;
  readonly ids: number;
  /** Where the arguments start; never behind the record's end. */
  readonly payload: number;
}

export function readMessageHeader(record: EtlRecord): MessageHeader {
  const { view } = record.buffer;
  const options = view.getUint16(record.offset + 6, true);
  let at = record.offset + HEADER_SIZE;
  /** A part that the record is too short for is not there. */
  const take = (isThere: boolean, size: number): number => {
    if (!isThere || at + size > record.end) return 0;
    at += size;
    return at - size;
  };
  const has = (bits: number) => (options & bits) !== 0;
  take(has(MessageOption.Sequence), 4);
  take(has(MessageOption.ComponentId), 4);
  const guid = take(has(MessageOption.Guid) && !has(MessageOption.ComponentId), 16);
  const time = take(has(MessageOption.Timestamp | MessageOption.PerformanceTimestamp), 8);
  const ids = take(has(MessageOption.SystemInfo), 8);
  return {
    number: view.getUint16(record.offset + 4, true),
    pointerSize: has(MessageOption.Pointer32) ? 4 : 8,
    guid,
    time,
    ids,
    payload: at,
  };
}

/** Where its time stands from the record's start, or 0. */
export function messageTimeOffset(record: EtlRecord): number {
  const { time } = readMessageHeader(record);
  return time === 0 ? 0 : time - record.offset;
}
