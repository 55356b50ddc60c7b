/**
 * WPP messages (TraceMessage): size u16, marker u16, number u16, options u16; then what the options indicate, in this
 * order: sequence u32; component id u32, or else the message's GUID; time i64; thread u32 and process u32. The
 * arguments follow, whose text and types are only in the program's symbols. Source: Windows SDK `evntrace.h`,
 * MESSAGE_TRACE_HEADER and TRACE_MESSAGE_*.
 */

import type { EtlRecord } from './buffer.ts';
import { MessageOption } from './constants.ts';

const HEADER_SIZE = 8;

interface MessageHeader {
  readonly number: number;
  readonly pointerSize: 4 | 8;
  /** The positions of the parts in the buffer; 0 if absent. */
  readonly sequence: number;
  readonly component: number;
  readonly guid: number;
  readonly time: number;
  readonly ids: number;
  /** The arguments start here; never beyond the end of the record. */
  readonly payload: number;
}

export function readMessageHeader(record: EtlRecord): MessageHeader {
  const { view } = record.buffer;
  const options = view.getUint16(record.offset + 6, true);
  let at = record.offset + HEADER_SIZE;
  /** A part that does not fit into the record is absent. */
  const take = (isThere: boolean, size: number): number => {
    if (!isThere || at + size > record.end) return 0;
    at += size;
    return at - size;
  };
  const has = (bits: number) => (options & bits) !== 0;
  const sequence = take(has(MessageOption.Sequence), 4);
  const component = take(has(MessageOption.ComponentId), 4);
  const guid = take(has(MessageOption.Guid) && !has(MessageOption.ComponentId), 16);
  const time = take(has(MessageOption.Timestamp | MessageOption.PerformanceTimestamp), 8);
  const ids = take(has(MessageOption.SystemInfo), 8);
  return {
    number: view.getUint16(record.offset + 4, true),
    pointerSize: has(MessageOption.Pointer32) ? 4 : 8,
    sequence,
    component,
    guid,
    time,
    ids,
    payload: at,
  };
}

/** The position of its time from the start of the record, or 0. */
export function messageTimeOffset(record: EtlRecord): number {
  const { time } = readMessageHeader(record);
  return time === 0 ? 0 : time - record.offset;
}
