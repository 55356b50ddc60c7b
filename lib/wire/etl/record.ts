/**
 * What the headers of records tell. Every function reads one thing from the record's bytes, when asked.
 *
 * | layout | |
 * |---|---|
 * | System, PerfInfo | version u16, marker u16, size u16, opcode u8, group u8; of System thread u32, process u32; time i64; of types 1 and 2 CPU times u32, u32; then performance counters u64 |
 * | Classic | size u16, marker u16, opcode u8, level u8, version u16, thread u32, process u32, time i64, class GUID, CPU times u64; of instances id u32, parent's id u32, parent's GUID |
 * | Event | size u16, marker u16, flags u16, property u16, thread u32, process u32, time i64, provider GUID, EVENT_DESCRIPTOR, CPU times u64, activity GUID; then extended items |
 *
 * Sources: see `constants.ts`; EVENT_DESCRIPTOR is in `evntprov.h`.
 */
import { guidText } from '../guid.ts';
import type { EtlRecord } from './buffer.ts';
import { EventFlag } from './constants.ts';
import { readMessageHeader } from './message.ts';
import { countersSize } from './record-cursor.ts';
import { Layout, layoutOf, type RecordLayout } from './record-type.ts';

const GUID_SIZE = 16;
const THREAD = 0x08;
const PROCESS = 0x0c;

/** The layout of a record at a cursor. */
function layout(record: EtlRecord): RecordLayout {
  return layoutOf(record.type) as RecordLayout;
}

export function layoutKind(record: EtlRecord): Layout {
  return layout(record).layout;
}

/** The pointer size in the payload: 4 for a 32-bit process, even on 64-bit Windows. */
export function pointerSizeOf(record: EtlRecord): 4 | 8 {
  const { layout: kind, pointerSize } = layout(record);
  return kind === Layout.Message ? readMessageHeader(record).pointerSize : pointerSize;
}

export function threadIdOf(record: EtlRecord): number | undefined {
  return idOf(record, THREAD, 0);
}

export function processIdOf(record: EtlRecord): number | undefined {
  return idOf(record, PROCESS, 4);
}

/** @param offset from the record's start; @param inIds from the start of a message's ids */
function idOf(record: EtlRecord, offset: number, inIds: number): number | undefined {
  const { view } = record.buffer;
  switch (layoutKind(record)) {
    case Layout.PerfInfo:
      return undefined;
    case Layout.Message: {
      const { ids } = readMessageHeader(record);
      return ids === 0 ? undefined : view.getUint32(ids + inIds, true);
    }
    default:
      return view.getUint32(record.offset + offset, true);
  }
}

/** The raw time itself; undefined for a message without one. */
export function rawTimeOf(record: EtlRecord): bigint | undefined {
  const { timeOffset, layout: kind } = layout(record);
  const at = kind === Layout.Message ? readMessageHeader(record).time : record.offset + timeOffset;
  return at === 0 ? undefined : record.buffer.view.getBigInt64(at, true);
}

/** Returns the upper byte of a kernel record's hook id. */
export function groupOf(record: EtlRecord): number {
  return record.buffer.view.getUint8(record.offset + 7);
}

export function opcodeOf(record: EtlRecord): number {
  const { view } = record.buffer;
  switch (layoutKind(record)) {
    case Layout.System:
    case Layout.PerfInfo:
      return view.getUint8(record.offset + 6);
    case Layout.Classic:
      return view.getUint8(record.offset + 4);
    case Layout.Event:
      return view.getUint8(record.offset + 0x2d);
    default:
      return 0;
  }
}

export function versionOf(record: EtlRecord): number {
  const { view } = record.buffer;
  switch (layoutKind(record)) {
    case Layout.System:
    case Layout.PerfInfo:
      return view.getUint8(record.offset);
    case Layout.Classic:
      return view.getUint16(record.offset + 6, true);
    case Layout.Event:
      return view.getUint8(record.offset + 0x2a);
    default:
      return 0;
  }
}

/** 0 for records that have none. */
export function levelOf(record: EtlRecord): number {
  const { view } = record.buffer;
  switch (layoutKind(record)) {
    case Layout.Classic:
      return view.getUint8(record.offset + 5);
    case Layout.Event:
      return view.getUint8(record.offset + 0x2c);
    default:
      return 0;
  }
}

/** An event's id, a message's number, otherwise 0. */
export function idNumberOf(record: EtlRecord): number {
  switch (layoutKind(record)) {
    case Layout.Event:
      return record.buffer.view.getUint16(record.offset + 0x28, true);
    case Layout.Message:
      return readMessageHeader(record).number;
    default:
      return 0;
  }
}

/** Tells whether a record of layout Event is a message, whose number is its id. */
export function isMessageEvent(record: EtlRecord): boolean {
  return (record.buffer.view.getUint16(record.offset + 4, true) & EventFlag.TraceMessage) !== 0;
}

/** Like the functions below, this reads a record of layout Event. */
export function channelOf(record: EtlRecord): number {
  return record.buffer.view.getUint8(record.offset + 0x2b);
}

export function taskOf(record: EtlRecord): number {
  return record.buffer.view.getUint16(record.offset + 0x2e, true);
}

export function keywordsOf(record: EtlRecord): bigint {
  return record.buffer.view.getBigUint64(record.offset + 0x30, true);
}

export function activityIdOf(record: EtlRecord): string | undefined {
  return presentGuid(record, record.offset + 0x40);
}

/** The position of the GUID of the provider, class or message in the buffer; 0 if the record has none. */
export function providerGuidOffset(record: EtlRecord): number {
  switch (layoutKind(record)) {
    case Layout.Classic:
    case Layout.Event:
      return record.offset + 0x18;
    case Layout.Message:
      return readMessageHeader(record).guid;
    default:
      return 0;
  }
}

/** The GUID at an offset in the buffer. */
export function guidAt(record: EtlRecord, offset: number): string {
  return guidText(record.buffer.bytes, offset);
}

/** Returns the GUID, unless it is all zeros. */
export function presentGuid(record: EtlRecord, offset: number): string | undefined {
  const { view } = record.buffer;
  for (let at = offset; at < offset + GUID_SIZE; at += 4) {
    if (view.getUint32(at, true) !== 0) return guidAt(record, offset);
  }
  return undefined;
}

/** Where the header ends, before any extended items. */
export function headerEndOf(record: EtlRecord): number {
  const { layout: kind, headerSize, sizeOffset } = layout(record);
  if (kind === Layout.Message) return readMessageHeader(record).payload;
  const counters = sizeOffset === 4 ? countersSize(record.buffer.view.getUint16(record.offset, true)) : 0;
  return record.offset + headerSize + counters;
}
