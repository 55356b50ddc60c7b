/** Small compressed traces that expand enormously. */
import { deflateSync, gzipSync } from 'node:zlib';
import {
  type Bytes,
  block,
  endOfStream,
  flat,
  metadataBlock,
  metadataRow,
  row,
  threadRow,
  traceBlock,
  u16,
  u32,
  u64,
  utf8,
  v6Start,
  varuint,
} from '../../wire/nettrace/nettrace-bytes.ts';

/** A field of a row of metadata: its name, and its type. */
const field = (name: string, ...type: Bytes): Bytes => [utf8(name), type];

const OBJECT_WITHOUT_FIELDS: Bytes = [1, u16(0)];

/** Whatever it is, so many times: a list of numbers would take far more memory than the bytes. */
function repeated(part: Uint8Array, count: number): Buffer {
  return Buffer.alloc(part.length * count, part);
}

function bigBlock(kind: number, head: Bytes, part: Uint8Array, count: number): Buffer {
  const body = Buffer.concat([flat(head), repeated(part, count)]);
  return Buffer.concat([flat(u32(body.length | (kind << 24))), body]);
}

const eventHead: Bytes = [u16(20), u16(1), u64(0), u64(0)];

/** The first event names metadata, thread and the payload's size; the others are as it is, one tick later. */
function events(payload: Bytes, count: number, isSorted = true): Buffer {
  const sorted = isSorted ? 0x40 : 0;
  const bytes = flat(payload);
  const first = flat(
    0x87 | sorted,
    varuint(1),
    varuint(0),
    varuint(1),
    varuint(0),
    varuint(1),
    varuint(1),
    varuint(bytes.length),
    [...bytes],
  );
  const more = flat(sorted, varuint(1), [...bytes]);
  return bigBlock(2, [eventHead, [...first]], more, count);
}

function trace(fields: readonly Bytes[], ...blocks: readonly Uint8Array[]): Buffer {
  const start = flat(
    v6Start,
    traceBlock(),
    metadataBlock(metadataRow(1, 15, 'Event', fields)),
    block(6, threadRow(1, 84, 11)),
  );
  return Buffer.concat([start, ...blocks, flat(endOfStream)]);
}

/** By what they are full of. */
/** An instant at time 1. */
const EVENT_PACKET = Buffer.from([0x0a, 6, 0x40, 1, 0x5a, 2, 0x48, 3]);
/** A name of an event, of 30 characters. */
const NAME_PACKET = Buffer.concat([
  Buffer.from([0x0a, 38, 0x62, 36, 0x12, 34, 8, 1, 0x12, 30]),
  Buffer.alloc(30, 'x'),
]);

function perfetto(packet: Uint8Array, count: number): Buffer {
  return Buffer.concat([EVENT_PACKET, repeated(packet, count)]);
}

export const BOMBS: Readonly<Record<string, () => Buffer>> = {
  'arrays of empty structs': () => trace([field('x', 19, OBJECT_WITHOUT_FIELDS)], events(u16(65_535), 8_000)),
  'fixed arrays of empty structs': () =>
    trace([field('x', 22, OBJECT_WITHOUT_FIELDS, u16(65_535)), field('y', 6)], events([0], 8_000)),
  'arrays of arrays of nothing': () =>
    trace(
      [field('x', 22, 22, 22, OBJECT_WITHOUT_FIELDS, u16(65_535), u16(65_535), u16(65_535)), field('y', 6)],
      events([0], 8_000),
    ),
  'fields without bytes': () =>
    trace(
      [...Array.from({ length: 4_000 }, (_, i) => field(`field${i}`, 22, 6, u16(0))), field('last', 6)],
      events([0], 8_000),
    ),
  'arrays that stand upon each other': () =>
    trace(
      Array.from({ length: 4_000 }, (_, i) => field(`field${i}`, 25, 4)),
      // Each says that it has 32 KiB from the payload's start on.
      events([...Array(8_000).fill(u32(0x8000_0000)), ...Array(800).fill(0)], 100),
    ),
  'structs of one byte': () =>
    trace([field('x', 19, 1, u16(1), row(field('a', 5)))], events([u16(60_000), Array(60_000).fill(1)], 20)),
  'interned names': () => perfetto(NAME_PACKET, 2_200_000),
  'compressed packets': () => {
    const packed = deflateSync(perfetto(EVENT_PACKET, 700_000));
    const size = [...varuint(packed.length)];
    // Field 50 of a packet.
    const packet = Buffer.concat([flat([0x92, 0x03, ...size]), packed]);
    return Buffer.concat([Buffer.from([0x0a]), flat(varuint(packet.length)), packet]);
  },
  'more events than a block may have': () => trace([], events([], 2_000_001)),
  'blocks that wait': () =>
    trace([], ...Array.from({ length: 40 }, () => events(Array(100_000).fill(0), 160, false))),
  threads: () => trace([], numberedRows(6, [], 4, 0, 1_000_000)),
  'label lists': () =>
    trace(
      [],
      ...Array.from({ length: 2 }, (_, i) =>
        bigBlock(8, [u32(1 + i * 4_000_000), u32(4_000_000)], Uint8Array.of(0x87, 1), 4_000_000),
      ),
    ),
  stacks: () =>
    trace(
      [],
      ...Array.from({ length: 2 }, (_, i) =>
        bigBlock(5, [u32(1 + i * 3_000_000), u32(3_000_000)], Uint8Array.of(1, 0, 0, 0, 7), 3_000_000),
      ),
    ),
  metadata: () => trace([], numberedRows(3, u16(0), 12, 8, 1_000_000)),
};

/** Rows of `size` bytes, which start with a number of four bytes, each with another; zeros behind it. */
function numberedRows(kind: number, head: Bytes, size: number, zeros: number, count: number): Buffer {
  const start = flat(head);
  const stride = 2 + size;
  const body = Buffer.alloc(start.length + count * stride);
  body.set(start);
  for (let i = 0; i < count; i++) {
    const at = start.length + i * stride;
    const number = 10 + i;
    body.writeUInt16LE(4 + zeros, at);
    for (let byte = 0; byte < 4; byte++) {
      body[at + 2 + byte] = ((number >>> (7 * byte)) & 0x7f) | (byte < 3 ? 0x80 : 0);
    }
  }
  return Buffer.concat([flat(u32(body.length | (kind << 24))), body]);
}

export const compressed = (bytes: Uint8Array): Buffer => gzipSync(bytes, { level: 1 });
