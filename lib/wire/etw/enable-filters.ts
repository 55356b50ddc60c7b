/**
 * What a session asks of a provider besides level and keywords: EnableProperty and the filters of EnableTraceEx2.
 *
 * Source: Windows' `evntcons.h` and `evntprov.h`, and the documentation of ENABLE_TRACE_PARAMETERS and
 * EVENT_FILTER_DESCRIPTOR. Numbers are little-endian.
 */
import { viewOf } from '../../base/bytes.ts';

export const ControlCode = { Disable: 0, Enable: 1, CaptureState: 2 } as const;
export type ControlCode = (typeof ControlCode)[keyof typeof ControlCode];

export const EnableProperty = {
  Sid: 0x1,
  TerminalSessionId: 0x2,
  StackTrace: 0x4,
  IgnoreKeyword0: 0x10,
  ProviderGroup: 0x20,
  ProcessStartKey: 0x80,
  EventKey: 0x100,
} as const;

/** MAX_EVENT_FILTER_… of the header. */
export const FilterLimit = {
  ProcessIds: 8,
  EventIds: 64,
  ExecutableBytes: 1024,
  NameBytes: 4096,
} as const;

/** An EVENT_FILTER_DESCRIPTOR. */
export interface EnableFilter {
  /** EVENT_FILTER_TYPE_… */
  readonly type: number;
  readonly data: Uint8Array;
}

/** The severity and categories of events. */
export interface LevelAndKeywords {
  /** The level is at most 255. */
  readonly level: number;
  /** 64 bits, as the next one. */
  readonly anyKeyword: bigint;
  readonly allKeyword: bigint;
}

/** Selects processes with these ids: u32 each. */
export function processIdFilter(ids: readonly number[]): EnableFilter {
  return { type: 0x8000_0004, data: new Uint8Array(Uint32Array.from(ids).buffer) };
}

/** Selects processes of these programs: UTF-16 text with semicolons between them, and a NUL. */
export function executableFilter(names: readonly string[]): EnableFilter {
  return { type: 0x8000_0008, data: new Uint8Array(Buffer.from(`${names.join(';')}\0`, 'utf16le')) };
}

/** Selects events with these ids, or only others. */
export function eventIdFilter(isIn: boolean, ids: readonly number[]): EnableFilter {
  return { type: 0x8000_0200, data: eventIds(isIn, ids) };
}

/** Stacks only for events with these ids. */
export function stackIdFilter(ids: readonly number[]): EnableFilter {
  return { type: 0x8000_1000, data: eventIds(true, ids) };
}

/** Selects events with these names, or only others; a provider's TraceLogging events have names instead of ids. */
export function eventNameFilter(isIn: boolean, names: readonly string[], of: LevelAndKeywords): EnableFilter {
  const text = Buffer.from(names.map((name) => `${name}\0`).join(''));
  const data = new Uint8Array(NAMES_OFFSET + text.length);
  setLevelAndKeywords(data, isIn, of);
  viewOf(data).setUint16(LEVEL_AND_KEYWORDS_END, names.length, true);
  data.set(text, NAMES_OFFSET);
  return { type: 0x8000_0400, data };
}

/** Stacks only for events that pass. */
export function stackLevelFilter(of: LevelAndKeywords): EnableFilter {
  const data = new Uint8Array(LEVEL_KW_SIZE);
  setLevelAndKeywords(data, true, of);
  return { type: 0x8000_4000, data };
}

/** EVENT_FILTER_EVENT_ID: whether these and no others u8, 0 u8, count u16, ids u16. */
function eventIds(isIn: boolean, ids: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(4 + 2 * ids.length);
  const view = viewOf(bytes);
  view.setUint8(0, Number(isIn));
  view.setUint16(2, ids.length, true);
  ids.forEach((id, index) => {
    view.setUint16(4 + 2 * index, id, true);
  });
  return bytes;
}

const LEVEL_AND_KEYWORDS_END = 18;
const NAMES_OFFSET = 20;
/** The size includes the padding. */
const LEVEL_KW_SIZE = 24;

/**
 * EVENT_FILTER_LEVEL_KW, which EVENT_FILTER_EVENT_NAME begins with, too: keywords any and all u64, level u8, whether
 * these and no others u8.
 */
function setLevelAndKeywords(data: Uint8Array, isIn: boolean, of: LevelAndKeywords): void {
  const view = viewOf(data);
  view.setBigUint64(0, of.anyKeyword, true);
  view.setBigUint64(8, of.allKeyword, true);
  view.setUint8(16, of.level);
  view.setUint8(17, Number(isIn));
}
