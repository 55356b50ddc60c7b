/**
 * EVENT_MAP_INFO, by which merged traces name the values of fields.
 *
 * | offset | |
 * |---|---|
 * | 0 | provider GUID; the structure itself follows, and offsets are from its start |
 * | 16 | offset u32 of the map's name; flags u32: 2 and 16 for names of bits; count u32 of entries; type u32 of their values, 0 numbers |
 * | 32 | entries: offset u32 of the name, value u32 |
 *
 * Source: EVENT_MAP_INFO and EVENT_MAP_ENTRY in the documentation of Windows' `tdh.h`; the preceding GUID: PerfView
 * (TraceEvent, SymbolTraceEventParser).
 */
import { viewOf } from '../../base/bytes.ts';
import { guidText } from '../guid.ts';
import type { PackedMap } from '../packed/field.ts';
import { readTdhText } from './tdh-text.ts';

const MAP = 16;
const ENTRIES = 16;
const ENTRY_SIZE = 8;

/** A bitmap of a manifest, or of MOF. */
const BITMAP_FLAGS = 2 | 16;
const NUMBERS = 0;

/** A map of one provider. */
interface EventMapInfo {
  /** The GUID is in lower case. */
  readonly providerGuid: string;
  readonly map: PackedMap;
}

/** @returns undefined if the bytes are not such a structure, or it does not name numbers */
export function parseEventMapInfo(bytes: Uint8Array): EventMapInfo | undefined {
  if (bytes.length < MAP + ENTRIES) return undefined;
  const view = viewOf(bytes.subarray(MAP));
  const name = readTdhText(view, view.getUint32(0, true));
  const count = view.getUint32(8, true);
  const isWhole = ENTRIES + count * ENTRY_SIZE <= view.byteLength;
  if (name === undefined || !isWhole || view.getUint32(12, true) !== NUMBERS) return undefined;
  const names = new Map<number, string>();
  for (let at = ENTRIES; at < ENTRIES + count * ENTRY_SIZE; at += ENTRY_SIZE) {
    const text = readTdhText(view, view.getUint32(at, true));
    if (text !== undefined) names.set(view.getUint32(at + 4, true), text);
  }
  const kind = (view.getUint32(4, true) & BITMAP_FLAGS) === 0 ? 'value' : 'bits';
  return { providerGuid: guidText(bytes), map: { name, kind, names } };
}
