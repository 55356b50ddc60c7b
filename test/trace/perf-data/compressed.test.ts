/** Compressed records (`perf record -z`), made here by the Zstandard that Node has from 22.15 on. */
import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Bytes, fileBytes, finishedRound, record, sample } from '../../wire/perf-data/file-bytes.ts';
import { readBytes } from './read.ts';

interface Zstd {
  readonly createZstdCompress?: () => Transform & { flush(done: () => void): void };
}
const { createZstdCompress } = zlib as Zstd;

/** One stream of Zstandard, flushed behind each part, as perf writes it. */
async function compressed(parts: readonly Uint8Array[]): Promise<Uint8Array[]> {
  const stream = createZstdCompress?.();
  if (stream === undefined) throw new Error('This Node has no Zstandard.');
  const results: Uint8Array[] = [];
  for (const part of parts) {
    stream.write(part);
    await new Promise<void>((resolve) => stream.flush(resolve));
    results.push(stream.read());
  }
  return results;
}

const PAYLOAD = [7, 0, 0, 0, 0, 0, 0, 5, 5, 0, 1, 0, 0x45, 0, 0x69, 0, 2, 9];
const samples = [3n, 1n, 2n, 5n].map((timeNs) => sample(true, { timeNs, payload: PAYLOAD }));
/** Cut where no record ends. */
const stream = Buffer.concat([...samples, finishedRound(true)]);
const parts = [stream.subarray(0, 150), stream.subarray(150, 300), stream.subarray(300)];

const type81 = (data: Uint8Array) =>
  new Bytes(true)
    .u32(81)
    .u16(0)
    .u16(8 + data.length)
    .raw(data)
    .done();
const type83 = (data: Uint8Array) => record(true, 83, (body) => body.u64(data.length).raw(data));

describe.skipIf(createZstdCompress === undefined)('compressed records (Node 22.15 and later)', () => {
  it.each([
    ['COMPRESSED', type81],
    ['COMPRESSED2', type83],
  ])('of type %s are read, also where a record goes on in the next', async (_, type) => {
    const records = (await compressed(parts)).map(type);
    const { events, fault } = await readBytes(fileBytes({ records }));
    expect(fault).toBeUndefined();
    expect(events.map(({ timestamp, name }) => [timestamp, name])).toEqual(
      [1n, 2n, 3n, 5n].map((time) => [time, 'E']),
    );
    const [first, second] = await compressed(parts);
    const start = Math.min(...events.map(({ position }) => position));
    // An event stands where the record does that holds its end.
    const positions = new Set(events.map(({ position }) => position));
    expect(positions.size).toBeGreaterThan(1);
    expect(positions).toContain(start + type(first ?? new Uint8Array()).length);
    expect(second).toBeDefined();
  });

  it('that are damaged end the events with an error at the record', async () => {
    const [first = new Uint8Array(), second = new Uint8Array()] = await compressed(parts);
    const { events, fault } = await readBytes(
      fileBytes({ records: [type81(first), type81(second.map((byte) => ~byte))] }),
    );
    expect(events).toHaveLength(1);
    expect(fault).toMatchObject({ code: 'malformed' });
    expect(fault?.message).toMatch(/^The compressed records cannot be unpacked: .*\. \(at byte \d+\)$/);
  });

  it('that expand beyond measure are unpacked bit by bit', { timeout: 60_000 }, async () => {
    // Other records, 64 KiB each, that are skipped: 256 MiB in a few KiB.
    const skipped = record(true, 74, (body) => body.raw(new Array(0xfff0 - 8).fill(0)));
    const block = Buffer.concat(Array.from({ length: 64 }, () => skipped));
    const records = (await compressed(Array.from({ length: 64 }, () => block))).map(type81);
    const before = process.memoryUsage().arrayBuffers;
    const { events } = await readBytes(fileBytes({ records: [...records, ...samples] }));
    expect(events).toHaveLength(4);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  });
});

describe.skipIf(createZstdCompress !== undefined)('compressed records (Node before 22.15)', () => {
  it('are refused with a reason', async () => {
    const { fault } = await readBytes(fileBytes({ records: [...samples, type81(Uint8Array.of(1))] }));
    expect(fault).toMatchObject({ code: 'unsupported' });
    expect(fault?.message).toContain('record without -z');
  });
});
