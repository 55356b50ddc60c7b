/** Compressed records (`perf record -z`), decompressed by Node or by the library for versions without Zstandard. */
import { describe, expect, it } from 'vitest';
import { openZstdBlocks } from '../../../lib/trace/source/zstd-blocks.ts';
import { Bytes, fileBytes, finishedRound, record, sample } from '../../wire/perf-data/file-bytes.ts';
import { readBytes } from './read.ts';

const PAYLOAD = [7, 0, 0, 0, 0, 0, 0, 5, 5, 0, 1, 0, 0x45, 0, 0x69, 0, 2, 9];
const samples = [3n, 1n, 2n, 5n].map((timeNs) => sample(true, { timeNs, payload: PAYLOAD }));
const stream = Buffer.concat([...samples, finishedRound(true)]);

/** The bytes of `stream` up to 150, to 300 and to the end, where no record ends: zstd 1.5.4, flushed behind each. */
const PARTS = [
  'KLUv/QBIvAIA1AMJAAAAAAB4AE0AEAAKAAAACwAAAAMAIAADAAEAAgAwAEAAHAAAANIEAAAKAAAABwAFBQABAEUAaQACCQAACwB7EB8QBS4GA4OMwcBgMLgYJAINuwAJ',
  'ZAAACAIDACCUBglGOAAB',
  'nAAAUAAFRAAAAAAACAACAAQmwQlcAQ==',
].map((text) => Uint8Array.from(Buffer.from(text, 'base64')));

const type81 = (data: Uint8Array) =>
  new Bytes(true)
    .u32(81)
    .u16(0)
    .u16(8 + data.length)
    .raw(data)
    .done();
const type83 = (data: Uint8Array) => record(true, 83, (body) => body.u64(data.length).raw(data));

/** A frame's head: a window of 128 KiB, no size. */
const FRAME = [0x28, 0xb5, 0x2f, 0xfd, 0, 0x38];
const RLE = 1;

/** The head of a block. */
function block(type: number, size: number, isLast = false): number[] {
  const head = (size << 3) | (type << 1) | Number(isLast);
  return [head & 0xff, (head >>> 8) & 0xff, head >>> 16];
}

describe('compressed records', () => {
  it.each([
    ['COMPRESSED', type81],
    ['COMPRESSED2', type83],
  ])('of type %s are read, even if a record continues in the next', async (_, type) => {
    const { events, fault } = await readBytes(fileBytes({ records: PARTS.map(type) }));
    expect(fault).toBeUndefined();
    expect(events.map(({ timestamp, name }) => [timestamp, name])).toEqual(
      [1n, 2n, 3n, 5n].map((time) => [time, 'E']),
    );
    const start = Math.min(...events.map(({ position }) => position));
    // An event stands where the record does that holds its end.
    const positions = new Set(events.map(({ position }) => position));
    expect(positions.size).toBeGreaterThan(1);
    expect(positions).toContain(start + type(PARTS[0] ?? new Uint8Array()).length);
  });

  it('that are damaged end the events with an error at the record', async () => {
    const [first = new Uint8Array(), second = new Uint8Array()] = PARTS;
    const { events, fault } = await readBytes(
      fileBytes({ records: [type81(first), type81(second.map((byte) => ~byte))] }),
    );
    expect(events).toHaveLength(1);
    expect(fault).toMatchObject({ code: 'malformed' });
    expect(fault?.message).toMatch(/^The compressed records cannot be decompressed: .*\. \(at byte \d+\)$/);
  });

  it('that are not Zstandard end the events with an error', async () => {
    const { fault } = await readBytes(fileBytes({ records: [type81(new Uint8Array(64).fill(1))] }));
    expect(fault).toMatchObject({ code: 'malformed' });
  });

  it('that expand excessively are unpacked in chunks', { timeout: 60_000 }, async () => {
    // Records of 0x5050 bytes of 0x50, which are of no known type: six in a block of four bytes, 247 MB in all.
    const blocks = Array.from({ length: 2_000 }, () => [...block(RLE, 6 * 0x5050), 0x50]);
    const bomb = type81(Uint8Array.from([...FRAME, ...blocks.flat()]));
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }, 1);
    const { events, fault } = await readBytes(fileBytes({ records: [...samples, bomb] }));
    clearInterval(watch);
    expect(fault).toBeUndefined();
    expect(events).toHaveLength(4);
    expect(Math.max(most, process.memoryUsage().arrayBuffers - before)).toBeLessThan(128 * 1024 * 1024);
  });
});

/** What Node before 22.15 unpacks with. */
describe('Zstandard blocks', () => {
  async function unpackedInParts(bytes: Uint8Array, size: number): Promise<Buffer> {
    const blocks = await openZstdBlocks();
    const pieces: Uint8Array[] = [];
    for (let at = 0; at < bytes.length; at += size)
      pieces.push(...blocks.unpack(bytes.subarray(at, at + size)));
    return Buffer.concat(pieces);
  }
  const unpacked = (bytes: Uint8Array) => unpackedInParts(bytes, bytes.length);

  it.each([1, 2, 3, 5, 7, 64, 1_000])('are accepted in parts of any size: %i bytes', async (size) => {
    expect(await unpackedInParts(Buffer.concat(PARTS), size)).toEqual(stream);
  });

  it('are available as soon as their bytes are, however few', async () => {
    const blocks = await openZstdBlocks();
    const pieces = [...blocks.unpack(Uint8Array.from([...FRAME, ...block(0, 2), 7, 8]))];
    expect(Buffer.concat(pieces)).toEqual(Buffer.of(7, 8));
    expect(Buffer.concat([...blocks.unpack(Uint8Array.from([...block(RLE, 3), 9]))])).toEqual(
      Buffer.of(9, 9, 9),
    );
  });

  it('end a frame, after which another one follows', async () => {
    const head = [0x28, 0xb5, 0x2f, 0xfd, 4, 0x38];
    const frame = [...head, ...block(RLE, 2, true), 5, 1, 2, 3, 4];
    expect(await unpacked(Uint8Array.from([...frame, ...frame]))).toEqual(Buffer.of(5, 5, 5, 5));
    expect(await unpackedInParts(Uint8Array.from([...frame, ...frame]), 1)).toEqual(Buffer.of(5, 5, 5, 5));
  });

  it('support all forms of frame headers', async () => {
    const contents = [...block(0, 1, true), 42];
    const heads = [
      [0x20, 1],
      [0x40, 0x38, 1, 0],
      [0x60, 1, 0],
      [0x80, 0x38, 1, 0, 0, 0],
      [0xa0, 1, 0, 0, 0],
      [0xc0, 0x38, 1, 0, 0, 0, 0, 0, 0, 0],
      [0x00, 0x3f],
    ];
    for (const head of heads) {
      expect(await unpacked(Uint8Array.from([...FRAME.slice(0, 4), ...head, ...contents]))).toEqual(
        Buffer.of(42),
      );
    }
  });

  it.each([
    [
      'a window of 16 MiB',
      [0x00, 0x70],
      /cannot decompress a window of 16777216 bytes: open it with Node 22\.15 or later/,
    ],
    [
      'contents of 4 GB as the window',
      [0xa0, 0xff, 0xff, 0xff, 0xff],
      /cannot decompress a window of 4294967295 bytes/,
    ],
    [
      'contents of 2^63 bytes',
      [0xe0, 0, 0, 0, 0, 0, 0, 0, 0x80],
      /cannot decompress a window of 9223372036854776000 bytes/,
    ],
  ])('are rejected before memory is allocated for %s', async (_, head, reason) => {
    await expect(unpacked(Uint8Array.from([...FRAME.slice(0, 4), ...head]))).rejects.toThrow(reason);
  });

  it.each([
    ['of the reserved type', block(3, 1)],
    ['larger than a block may be', block(RLE, 131_073)],
  ])('are rejected: %s', async (_, head) => {
    await expect(unpacked(Uint8Array.from([...FRAME, ...head]))).rejects.toThrow(
      /^a block of type \d cannot have/,
    );
  });
});
