/** Logs of more than 4 GB: no position or size may pass through 32 bits. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import type { OpenedSource, SeekableBytes } from '../../../lib/trace/byte-source.ts';
import { openEtl } from '../../../lib/trace/etl/open-etl.ts';
import { openFile } from '../../../lib/trace/source/file-source.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { bufferBytes, etlBytes, kernelRecord, RAW_START } from '../../wire/etl/etl-bytes.ts';
import { Bytes } from '../../wire/perf-data/file-bytes.ts';
import { at } from './read-etl.ts';

const le = () => new Bytes(true);
/** The largest buffer. */
const FILLER_SIZE = 1 << 24;
const FILLERS = 300;

/** A file that exists only where it is read: `head`, buffers without records, `tail`. */
class SparseLog implements OpenedSource {
  readonly name = 'sparse.etl';
  readonly head: Uint8Array;
  readonly size: number;
  readonly #parts: readonly { readonly start: number; readonly bytes: Uint8Array }[];

  constructor(head: Uint8Array, tail: Uint8Array) {
    const filler = bufferBytes([], { size: 256 });
    const whole = new Uint8Array(FILLER_SIZE);
    whole.set(filler);
    new DataView(whole.buffer).setUint32(0, FILLER_SIZE, true);
    const tailStart = head.length + FILLERS * FILLER_SIZE;
    const fillers = Array.from({ length: FILLERS }, (_, i) => {
      return { start: head.length + i * FILLER_SIZE, bytes: whole };
    });
    this.#parts = [{ start: 0, bytes: head }, ...fillers, { start: tailStart, bytes: tail }];
    this.size = tailStart + tail.length;
    this.head = head.subarray(0, 128);
  }

  // biome-ignore lint/correctness/useYield: nothing reads it in sequence
  async *chunks(): AsyncGenerator<Uint8Array> {
    throw new Error('An .etl is read at positions.');
  }

  async seekable(): Promise<SeekableBytes> {
    return {
      size: this.size,
      read: async (offset, length) => this.#read(offset, length),
      close: async () => {},
    };
  }

  async close(): Promise<void> {}

  #read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.size);
    const touched = this.#parts.filter(({ start, bytes }) => start < end && start + bytes.length > offset);
    const pieces = touched.map(({ start, bytes }) =>
      bytes.subarray(Math.max(0, offset - start), Math.min(bytes.length, end - start)),
    );
    return pieces.length === 1 ? (pieces[0] as Uint8Array) : Buffer.concat(pieces);
  }
}

it('a log of 5 GB is read from its start to its end, in time order, with stacks', async () => {
  const head = etlBytes([bufferBytes([at(1000), at(4000)])]);
  const event = kernelRecord({ group: 1, opcode: 10, version: 3, time: RAW_START + 2000n });
  const stack = kernelRecord({
    type: 4,
    group: 0x18,
    opcode: 32,
    time: RAW_START + 2001n,
    payload: le()
      .u64(RAW_START + 2000n)
      .u32(10)
      .u32(11)
      .u64(0x7ff6_0000_1000n)
      .done(),
  });
  const small = bufferBytes([at(3000), at(5000)], { processor: 1 });
  const large = bufferBytes([event, stack], { size: 1 << 20 });
  const log = new SparseLog(head, Buffer.concat([large, small]));
  expect(log.size).toBeGreaterThan(5e9);

  const reader = await openEtl(log, { manifests: [] });
  const events: TraceEvent[] = [];
  for await (const batch of reader.batches()) events.push(...batch);
  const [, disk] = events;
  expect(events.map(({ timeSinceStart }) => timeSinceStart)).toEqual(
    [1000, 2000, 2001, 3000, 4000, 5000].map((ticks) => BigInt(ticks) * 100n),
  );
  const tail = log.size - large.length - small.length;
  expect(disk).toMatchObject({ position: tail + 0x48, stack: [0x7ff6_0000_1000n] });
  expect(events.at(-1)?.position).toBe(log.size - small.length + 0x48 + 0x50);
  expect(reader.progress.bytesRead).toBe(log.size);
});

it('looking for the times of all buffers takes the memory of one chunk', async () => {
  const memories = new Set<Uint8Array | undefined>();
  class Watched extends SparseLog {
    override async seekable(): Promise<SeekableBytes> {
      const bytes = await super.seekable();
      const read = (offset: number, length: number, into?: Uint8Array) => {
        memories.add(into);
        return bytes.read(offset, length);
      };
      return { ...bytes, read };
    }
  }
  const reader = await openEtl(new Watched(etlBytes([]), bufferBytes([at(1)])), { manifests: [] });
  memories.clear();
  for await (const _ of reader.batches());
  memories.delete(undefined);
  // That of the usual chunks, and that of the fillers, which are larger.
  expect([...memories].map((memory) => memory?.length)).toEqual([1 << 20, FILLER_SIZE]);
});

it('a file is read into the given memory if there is room', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'tracewright-large-')), 'file');
  writeFileSync(path, 'abcdef');
  const bytes = await (await openFile(path)).seekable();
  const memory = new Uint8Array(4);
  const [small, large] = [await bytes.read(1, 4, memory), await bytes.read(0, 6, memory)];
  expect([small.buffer === memory.buffer, large.buffer === memory.buffer]).toEqual([true, false]);
  expect([Buffer.from(small).toString(), Buffer.from(large).toString()]).toEqual(['bcde', 'abcdef']);
  await bytes.close();
  rmSync(dirname(path), { recursive: true });
});
