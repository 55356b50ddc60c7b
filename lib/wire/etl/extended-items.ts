/**
 * The items between an event's header and its payload: its related activity, its stack, its own description. Of each
 * item: size u16 (of all of it), type u16, flags u16 (1: another follows), size of the data u16, data.
 */

import type { EtlRecord } from './buffer.ts';
import { EventFlag, ExtendedType } from './constants.ts';
import { headerEndOf, layoutKind, presentGuid } from './record.ts';
import { Layout } from './record-type.ts';

const ITEM_HEAD_SIZE = 8;
const ANOTHER_FOLLOWS = 1;
const FLAGS = 0x04;
const GUID_SIZE = 16;

/** The data of an item. */
export interface ExtendedItem {
  readonly type: number;
  readonly start: number;
  readonly end: number;
}

/** What follows a chain of items. */
export interface ExtendedItems {
  readonly items: readonly ExtendedItem[];
  /** The payload starts here; if an item is damaged, that is unknown, and this is the record's end. */
  readonly payload: number;
  readonly isDamaged: boolean;
}

export function extendedItemsOf(record: EtlRecord): ExtendedItems {
  const { view } = record.buffer;
  const items: ExtendedItem[] = [];
  let at = headerEndOf(record);
  if (!hasExtendedItems(record)) return { items, payload: at, isDamaged: false };
  for (let isLast = false; !isLast; ) {
    const size = at + ITEM_HEAD_SIZE > record.end ? 0 : view.getUint16(at, true);
    const dataSize = size === 0 ? 0 : view.getUint16(at + 6, true);
    if (size < ITEM_HEAD_SIZE + dataSize || at + size > record.end) {
      return { items, payload: record.end, isDamaged: true };
    }
    const start = at + ITEM_HEAD_SIZE;
    items.push({ type: view.getUint16(at + 2, true), start, end: start + dataSize });
    isLast = (view.getUint16(at + 4, true) & ANOTHER_FOLLOWS) === 0;
    at += size;
  }
  return { items, payload: at, isDamaged: false };
}

/** Whether there are any; most events have none. */
export function hasExtendedItems(record: EtlRecord): boolean {
  if (layoutKind(record) !== Layout.Event) return false;
  return (record.buffer.view.getUint16(record.offset + FLAGS, true) & EventFlag.ExtendedInfo) !== 0;
}

export function itemOf(items: readonly ExtendedItem[], type: number): ExtendedItem | undefined {
  return items.find((item) => item.type === type);
}

/** The bytes of an item's data. */
export function itemBytes(record: EtlRecord, item: ExtendedItem): Uint8Array {
  return record.buffer.bytes.subarray(item.start, item.end);
}

export function relatedActivityIdOf(record: EtlRecord, items: readonly ExtendedItem[]): string | undefined {
  const item = itemOf(items, ExtendedType.RelatedActivityId);
  if (item === undefined || item.end - item.start < GUID_SIZE) return undefined;
  return presentGuid(record, item.start);
}

const MATCH_ID_SIZE = 8;

/** The stack addresses recorded with the event, innermost first. */
export function stackOf(record: EtlRecord, items: readonly ExtendedItem[]): bigint[] | undefined {
  const stacks = items.filter(
    ({ type }) => type === ExtendedType.StackTrace32 || type === ExtendedType.StackTrace64,
  );
  if (stacks.length === 0) return undefined;
  return stacks.flatMap(({ type, start, end }) =>
    readAddresses(record.buffer.view, start + MATCH_ID_SIZE, end, type === ExtendedType.StackTrace32 ? 4 : 8),
  );
}

/** All addresses in a part of a buffer. */
export function readAddresses(view: DataView, start: number, end: number, size: 4 | 8): bigint[] {
  const addresses: bigint[] = [];
  for (let at = start; at + size <= end; at += size) {
    addresses.push(size === 4 ? BigInt(view.getUint32(at, true)) : view.getBigUint64(at, true));
  }
  return addresses;
}
