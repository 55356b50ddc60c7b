/** The memory through which worker threads pass on their events. */
import { setTimeout } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  allocateSharedMemory,
  CHUNK_SIZE,
  ChunkWord,
  markExited,
  type SharedMemory,
  SLOTS,
  SlotWord,
  wordsOfChunk,
  wordsOfSlot,
} from '../../../lib/eventpipe/threads/shared-memory.ts';
import { SharedMemoryReader, type ThreadBytes } from '../../../lib/eventpipe/threads/shared-memory-reader.ts';
import { SharedMemoryWriter } from '../../../lib/eventpipe/threads/shared-memory-writer.ts';
import { FailingCalls } from '../../base/failing-calls.ts';
import { untilThereIsStack } from '../../base/stack-end.ts';

const TYPED_ARRAY = Object.getPrototypeOf(Uint8Array.prototype) as object;
const MIB = 1 << 20;
const HEAD = Uint8Array.of(1, 2);
const NOTHING = new Uint8Array(0);
/** Fills half a chunk. */
const HALF = new Uint8Array(CHUNK_SIZE / 2);

function newMemory(size = MIB) {
  const memory = allocateSharedMemory(size);
  return { memory, reader: new SharedMemoryReader(memory) };
}

const newWriter = (memory: SharedMemory) => new SharedMemoryWriter(memory, false);

/** What each thread has written, as text; and the reader's round is over. */
function read(reader: SharedMemoryReader, waitingBytes = 0): string[] {
  const texts = parts(reader).map(({ thread, bytes }) => `${thread}: ${bytes.join()}`);
  reader.endRound(waitingBytes);
  return texts;
}

/** Memory that is read when a thread asks for it, after which `then` is called. */
function readWhenAsked(then: (asked: number, writer: SharedMemoryWriter) => void = () => {}) {
  const { memory, reader } = newMemory();
  const writer = newWriter(memory);
  const seen = { asked: 0 };
  reader.onAsked(() => {
    seen.asked++;
    read(reader);
    then(seen.asked, writer);
  });
  return { reader, writer, seen };
}

/** Copies, because a chunk that has been read may be written again. */
function parts(reader: SharedMemoryReader, filled = reader.filled()): ThreadBytes[] {
  return Array.from(reader.take(filled), (part) => {
    (reader.read[part.chunk] as number) += part.bytes.length;
    return { ...part, bytes: part.bytes.slice() };
  });
}

function losses(reader: SharedMemoryReader, isLast = false) {
  return Array.from(reader.losses(isLast), ({ thread, count, slot, total }) => {
    reader.counted[slot] = total;
    return { thread, count };
  }).sort((a, b) => a.thread - b.thread);
}

/** Loses an event. */
function drop(writer: SharedMemoryWriter): void {
  (writer.unfinished[0] as number)++;
  writer.drop(1);
}

const size = (read: readonly ThreadBytes[]) => read.reduce((sum, { bytes }) => sum + bytes.length, 0);

describe('events written by threads', () => {
  it("are read once, each thread's in order", () => {
    const { memory, reader } = newMemory();
    const [first, second] = [newWriter(memory), newWriter(memory)];
    expect(first.write(HEAD, Uint8Array.of(3), 0)).toBe(true);
    expect(second.write(HEAD, Uint8Array.of(4), 0)).toBe(true);
    expect(first.write(HEAD, Uint8Array.of(5), 0)).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2,3,1,2,5', '2: 1,2,4']);
    expect(read(reader)).toEqual([]);
    expect(first.write(HEAD, Uint8Array.of(6), 0)).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2,6']);
    expect(reader.usedBytes).toBe(0);
  });

  it('may take several chunks, read in order', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    const other = newWriter(memory);
    for (let n = 1; n <= 6; n++) {
      expect(writer.write(Uint8Array.of(n), HALF.subarray(1), 0)).toBe(true);
      // So that chunks are freed in between, and the next ones lie before those of later numbers.
      if (n === 2) expect(other.write(HEAD, NOTHING, 0)).toBe(true);
      if (n === 3) expect(parts(reader, reader.filled().slice(0, 1))[0]?.bytes[0]).toBe(1);
    }
    const firsts = parts(reader).map(({ thread, bytes }) => [thread, bytes[0]]);
    expect(firsts).toEqual([
      [1, 3],
      [1, 5],
      [2, 1],
    ]);
  });

  it('find no room once the maximum is waiting, until it is read', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    let written = 0;
    while (writer.write(NOTHING, HALF, 0)) written++;
    expect(written * HALF.length).toBeGreaterThan(0.85 * MIB);
    expect(written * HALF.length).toBeLessThanOrEqual(MIB);
    expect(size(parts(reader))).toBe(written * HALF.length);
    reader.endRound(0);
    expect(writer.write(NOTHING, HALF, 0)).toBe(true);
    read(reader, MIB);
    expect(writer.write(NOTHING, HALF, 0)).toBe(false);
    read(reader, MIB / 2);
    expect(writer.write(NOTHING, HALF, 0)).toBe(true);
  });

  it('are no larger than a chunk', () => {
    const { memory } = newMemory();
    expect(newWriter(memory).write(HEAD, new Uint8Array(CHUNK_SIZE - 2), 0)).toBe(true);
    expect(newWriter(memory).write(HEAD, new Uint8Array(CHUNK_SIZE - 1), 0)).toBe(false);
  });

  it('are requested to be read when there are many, once per round, until the end', async () => {
    const { reader, writer, seen } = readWhenAsked();
    for (let n = 0; n < 6; n++) writer.write(NOTHING, HALF, 0);
    await setTimeout(20);
    expect(seen.asked).toBe(0);
    while (writer.write(NOTHING, HALF, 0));
    await vi.waitFor(() => expect(seen.asked).toBe(1));
    for (let n = 0; n < 9; n++) writer.write(NOTHING, HALF, 0);
    await vi.waitFor(() => expect(seen.asked).toBe(2));
    reader.end();
    for (let n = 0; n < 9; n++) writer.write(NOTHING, HALF, 0);
    await setTimeout(20);
    expect(seen.asked).toBe(2);
  });

  it('are requested again by what is written while they are read', async () => {
    const { writer, seen } = readWhenAsked((asked, again) => {
      if (asked < 3) while (again.write(NOTHING, HALF, 0));
    });
    while (writer.write(NOTHING, HALF, 0));
    await vi.waitFor(() => expect(seen.asked).toBe(3));
  });

  it('are complete, and read once, wherever a call of the writer or the stack ends', () => {
    const begin: readonly (() => (work: () => void) => number)[] = [
      () => {
        const calls = new FailingCalls([SharedMemoryWriter.prototype, TYPED_ARRAY, Atomics]);
        onTestFinished(() => calls.restore());
        return (work) => calls.eachInTurn(work);
      },
      () => untilThereIsStack,
    ];
    for (const until of begin.map((each) => each())) {
      const { memory, reader } = newMemory();
      const writer = newWriter(memory);
      let begun = 0;
      const numbers: number[] = [];
      const large = new Uint8Array(CHUNK_SIZE / 3);
      for (let n = 1; n <= 40; n++) {
        until(() => {
          const { unfinished } = writer;
          begun++;
          (unfinished[0] as number)++;
          writer.write(Uint8Array.of(n), n % 5 === 0 ? large : NOTHING, 1);
        });
        if (n % 8 !== 0) continue;
        for (const { bytes } of parts(reader)) numbers.push(...bytes.filter((byte) => byte !== 0));
        reader.endRound(0);
      }
      // Each that was begun has been written, or is missing.
      const missing = begun - numbers.length;
      expect(missing).toBeGreaterThan(100);
      expect(writer.unfinished[0]).toBe(missing);
      expect([...new Set(numbers)]).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      until(() => writer.drop(writer.unfinished[0] as number));
      expect(losses(reader)).toEqual([{ thread: 1, count: missing }]);
      expect(reader.usedBytes).toBeLessThanOrEqual(CHUNK_SIZE);
    }
  });

  it('are discarded once the session is over', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    writer.write(HEAD, NOTHING, 0);
    expect(writer.isOver).toBe(false);
    reader.end();
    expect(writer.isOver).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2']);
  });
});

describe('a thread that is terminated', () => {
  it('while writing has everything written before read, and its chunk freed once that is known', () => {
    const { memory, reader } = newMemory();
    newWriter(memory).write(HEAD, NOTHING, 0);
    const owner = wordsOfChunk(0) + ChunkWord.Owner;
    memory.words[owner] = -1;
    expect(read(reader)).toEqual(['1: 1,2']);
    expect(read(reader)).toEqual([]);
    expect(reader.usedBytes).toBe(CHUNK_SIZE);
    markExited(memory, 0);
    expect(reader.hasExited(1)).toBe(true);
    expect(read(reader)).toEqual([]);
    expect(reader.usedBytes).toBe(0);
  });

  it('after taking a chunk, but before writing, has it freed, too', () => {
    const { memory, reader } = newMemory();
    newWriter(memory);
    memory.words[wordsOfChunk(0) + ChunkWord.Owner] = -1;
    expect(read(reader)).toEqual([]);
    expect(reader.usedBytes).toBe(CHUNK_SIZE);
    markExited(memory, 0);
    expect(read(reader)).toEqual([]);
    expect(reader.usedBytes).toBe(0);
  });
});

describe('losses', () => {
  it('are reported by threads, once', () => {
    const { memory, reader } = newMemory();
    const [first, second] = [newWriter(memory), newWriter(memory)];
    drop(first);
    drop(second);
    drop(second);
    expect(losses(reader)).toEqual([
      { thread: 1, count: 1 },
      { thread: 2, count: 2 },
    ]);
    expect(losses(reader)).toEqual([]);
  });

  it('include interrupted events, when no more can come', () => {
    const { memory, reader } = newMemory();
    const [ended, atWork] = [newWriter(memory), newWriter(memory)];
    memory.words[wordsOfSlot(memory, 1) + SlotWord.ThreadId] = 7;
    for (const writer of [ended, atWork]) (writer.unfinished[0] as number)++;
    expect(losses(reader)).toEqual([]);
    markExited(memory, 7);
    expect(losses(reader)).toEqual([{ thread: 1, count: 1 }]);
    expect(losses(reader, true)).toEqual([{ thread: 2, count: 1 }]);
    expect(losses(reader, true)).toEqual([]);
  });

  it('are all reported, however many threads there are', () => {
    const { memory, reader } = newMemory();
    const writers = Array.from({ length: 2 * SLOTS + 5 }, () => newWriter(memory));
    for (const writer of writers) drop(writer);
    expect(losses(reader).reduce((sum, { count }) => sum + count, 0)).toBe(writers.length);
  });
});

it('memory has about the size that may wait, room for several threads, and at most 64 MiB', () => {
  expect(allocateSharedMemory(16 * MIB).chunks.length).toBeLessThanOrEqual(16 * MIB);
  expect(allocateSharedMemory(16 * MIB).chunks.length).toBeGreaterThan(15.9 * MIB);
  expect(allocateSharedMemory(1).chunks.length).toBe(4 * CHUNK_SIZE);
  expect(allocateSharedMemory(1e15).chunks.length).toBeLessThanOrEqual(64 * MIB);
});
