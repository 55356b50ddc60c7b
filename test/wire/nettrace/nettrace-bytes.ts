/** Assembles nettrace files by hand: the tests' own definition of the format. */
import type { NetTraceEvent } from '../../../lib/wire/nettrace/event.ts';
import { NetTraceParser } from '../../../lib/wire/nettrace/parser.ts';

/** Bytes, or lists of them as deep as is handy. */
export type Bytes = readonly (number | Bytes)[];

const integer = (size: number) => (value: number | bigint) =>
  Array.from({ length: size }, (_, i) => Number((BigInt(value) >> BigInt(8 * i)) & 0xffn));

export const u8 = integer(1);
export const u16 = integer(2);
export const u32 = integer(4);
export const u64 = integer(8);

export function varuint(value: number | bigint): Bytes {
  const bytes: number[] = [];
  let left = BigInt(value);
  for (; left > 0x7fn; left >>= 7n) bytes.push(Number(left & 0x7fn) | 0x80);
  return [...bytes, Number(left)];
}

export const varint = (value: bigint) => varuint(value < 0n ? -value * 2n - 1n : value * 2n);
export const ascii = (text: string): Bytes => [...Buffer.from(text, 'latin1')];
export const utf8 = (text: string): Bytes => [varuint(Buffer.byteLength(text)), ...Buffer.from(text)];
export const utf16 = (text: string): Bytes => [...Buffer.from(`${text}\0`, 'utf16le')];
export const guid = (first: number): Bytes => [u32(first), Array(12).fill(0)];

export function flat(...bytes: Bytes): Uint8Array {
  const flattened: number[] = [];
  const add = (part: number | Bytes): unknown =>
    typeof part === 'number' ? flattened.push(part) : part.forEach(add);
  add(bytes);
  return Uint8Array.from(flattened);
}

export const sized =
  (size: (length: number) => Bytes) =>
  (...bytes: Bytes): Bytes => {
    const body = flat(bytes);
    return [size(body.length), [...body]];
  };
/** Behind its size in 2 bytes. */
export const row = sized(u16);

/** 2025-02-03 04:05:06 UTC, a Monday. */
const systemTime = [2025, 2, 1, 3, 4, 5, 6, 0].map(u16);
export const START_TIME_MS = Date.UTC(2025, 1, 3, 4, 5, 6);

// Version 6

export const v6Start: Bytes = [ascii('Nettrace'), u32(0), u32(6), u32(0)];
export const endOfStream: Bytes = u32(0);

export function block(kind: number, ...bytes: Bytes): Bytes {
  const body = flat(bytes);
  return [u32(body.length | (kind << 24)), [...body]];
}

export function traceBlock(properties: Readonly<Record<string, string>> = {}): Bytes {
  const pairs = Object.entries(properties);
  return block(
    1,
    ...systemTime,
    u64(0),
    u64(1000),
    u32(8),
    u32(pairs.length),
    pairs.map(([key, value]) => [utf8(key), utf8(value)]),
  );
}

/** A row of a metadata block. */
export function metadataRow(
  id: number,
  eventId: number,
  name: string,
  fields: readonly Bytes[] = [],
  optional: Bytes = [],
): Bytes {
  const described = [u16(fields.length), ...fields.map((field) => row(field))];
  return row(varuint(id), utf8('Provider'), varuint(eventId), utf8(name), described, row(optional));
}

export const metadataBlock = (...rows: Bytes): Bytes => block(3, u16(0), rows);

/** A row of a thread block. */
export const threadRow = (index: number, processId: number, threadId: number): Bytes =>
  row(varuint(index), 2, varuint(processId), 3, varuint(threadId));

const eventBlockHead = (flags: number): Bytes => [u16(20), u16(flags), u64(0), u64(0)];
export const compressedBlock = (...events: Bytes): Bytes => block(2, eventBlockHead(1), events);
export const uncompressedBlock = (...events: Bytes): Bytes => block(2, eventBlockHead(0), events);

export interface EventBytes {
  readonly metadataId?: number;
  readonly isSorted?: boolean;
  readonly sequence?: number;
  readonly thread?: number;
  readonly captureThread?: number;
  readonly processor?: number;
  readonly stackId?: number;
  readonly time: number | bigint;
  /** Of version 6. */
  readonly labels?: number;
  readonly payload?: Bytes;
}

/** An uncompressed event of version 6, by default the first of thread 1. */
export function uncompressedEvent(event: EventBytes): Bytes {
  const { metadataId = 1, isSorted = false, sequence = 1, thread = 1, processor = 0, stackId = 0 } = event;
  const payload = flat(event.payload ?? []);
  return sized(u32)(
    u32(metadataId + (isSorted ? 0 : 2 ** 31)),
    u32(sequence),
    u64(thread),
    u64(event.captureThread ?? thread),
    u32(processor),
    u32(stackId),
    u64(event.time),
    u32(event.labels ?? 0),
    u32(payload.length),
    [...payload],
  );
}

export interface Checkpoint {
  readonly thread: number;
  readonly sequence: number;
}

export const sequencePoint = (time: number, flags = 0, ...checkpoints: Checkpoint[]): Bytes =>
  block(
    4,
    u64(time),
    u32(flags),
    u32(checkpoints.length),
    checkpoints.map(({ thread, sequence }) => [varuint(thread), varuint(sequence)]),
  );

/** A trace of version 6 with threads 1 and 2 and metadata 1, up to its end. */
export function v6Trace(...blocks: Bytes): Uint8Array {
  const threads = block(6, threadRow(1, 84, 11), threadRow(2, 84, 12));
  return flat(
    v6Start,
    traceBlock(),
    metadataBlock(metadataRow(1, 15, 'Event')),
    threads,
    blocks,
    endOfStream,
  );
}

// Versions 3 and 4

const object = (begin: number, version: number, name: string): Bytes => [
  [begin, begin, 1],
  u32(version),
  u32(version),
  u32(name.length),
  ascii(name),
  6,
];

const magic: Bytes = [u32(20), ascii('!FastSerialization.1')];

const traceObject: Bytes = [...systemTime, u64(0), u64(1000), u32(8), u32(1234), u32(4), u32(1_000_000)];

/** A block of version 3 or 4: its name, and its bytes. */
export type NamedBlock = readonly [name: string, ...bytes: Bytes];

/** @param version 3 for a .netperf */
export function fastSerialized(version: 3 | 4, ...blocks: readonly NamedBlock[]): Uint8Array {
  const begin = version === 3 ? 4 : 5;
  const start: Bytes = version === 3 ? magic : [ascii('Nettrace'), magic];
  let trace = flat(start, object(begin, version, 'Trace'), traceObject, 6);
  for (const [name, ...bytes] of blocks) {
    const body = flat(bytes);
    const head = flat([...trace], object(begin, Math.min(version, 2), name), u32(body.length));
    trace = flat([...head], Array(-head.length & 3).fill(0), [...body], 6);
  }
  return flat([...trace], 1);
}

/** What stands before version 4's events and metadata. */
export const headV4 = eventBlockHead;

/** A payload of metadata of versions 3 and 4. */
export const metadataV4 = (id: number, eventId: number, name: string, ...fieldsAndTags: Bytes): Bytes => [
  u32(id),
  utf16('Provider'),
  u32(eventId),
  utf16(name),
  u64(0x30),
  u32(2),
  u32(4),
  fieldsAndTags,
];

export const metadataBlockV4 = (...payloads: readonly Bytes[]): NamedBlock => [
  'MetadataBlock',
  headV4(1),
  payloads.map((payload) => [0x80, varuint(0), sized(varuint)(payload)]),
];

/** An event of version 4 that says everything about itself. */
export function compressedEventV4(event: EventBytes & { readonly previousSequence?: number }): Bytes {
  const { metadataId = 1, isSorted = true, sequence = 1, thread = 1, processor = 0, stackId = 0 } = event;
  return [
    0x8f | (isSorted ? 0x40 : 0),
    varuint(metadataId),
    varuint(sequence - (event.previousSequence ?? 0) - 1),
    varuint(event.captureThread ?? thread),
    varuint(processor),
    varuint(thread),
    varuint(stackId),
    varuint(event.time),
    sized(varuint)(event.payload ?? []),
  ];
}

// Reading

export interface ReadTrace {
  readonly parser: NetTraceParser;
  readonly events: readonly NetTraceEvent[];
}

/** @param pieceSize how many bytes come at a time; all, if it is not given */
export function readTrace(bytes: Uint8Array, pieceSize = bytes.length): ReadTrace {
  const parser = new NetTraceParser();
  const events: NetTraceEvent[] = [];
  for (let at = 0; at < bytes.length; at += pieceSize) {
    events.push(...parser.push(bytes.subarray(at, at + pieceSize)));
  }
  events.push(...parser.end());
  return { parser, events };
}

/** The events of a trace that has no fault. */
export function eventsOf(bytes: Uint8Array): readonly NetTraceEvent[] {
  const { parser, events } = readTrace(bytes);
  if (parser.fault !== undefined) throw parser.fault;
  return events;
}

export const timesOf = (events: readonly NetTraceEvent[]) => events.map((event) => Number(event.ticks));

/** Metadata 1 of version 4: event 15, without fields. */
export const metadata = metadataBlockV4(metadataV4(1, 15, 'Event', u32(0)));

/** A trace of version 4 with these events of that metadata, their headers compressed. */
export const v4Events = (...events: Bytes) => fastSerialized(4, metadata, ['EventBlock', headV4(1), events]);

export const faultOf = (bytes: Uint8Array) => readTrace(bytes).parser.fault;
