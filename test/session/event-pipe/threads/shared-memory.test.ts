/** The memory in which worker threads hand over their events. */
import { describe, expect, it } from 'vitest';
import {
  allocateSharedMemory,
  CHUNK_SIZE,
  ChunkWord,
  markExited,
  type SharedMemory,
  SLOTS,
  wordsOfChunk,
} from '../../../../lib/session/event-pipe/threads/shared-memory.ts';
import { SharedMemoryReader } from '../../../../lib/session/event-pipe/threads/shared-memory-reader.ts';
import { SharedMemoryWriter } from '../../../../lib/session/event-pipe/threads/shared-memory-writer.ts';

const MIB = 1 << 20;
const HEAD = Uint8Array.of(1, 2);
const NOTHING = new Uint8Array(0);
/** Fills half a chunk. */
const HALF = new Uint8Array(CHUNK_SIZE / 2);

function newMemory(size = MIB) {
  const memory = allocateSharedMemory(size);
  return { memory, reader: new SharedMemoryReader(memory) };
}

const newWriter = (memory: SharedMemory, askToRead = () => {}) =>
  new SharedMemoryWriter(memory, false, askToRead);

/** What each thread has written, as text; and the reader's round is over. */
function read(reader: SharedMemoryReader, waitingBytes = 0): string[] {
  const texts = Array.from(reader.take(reader.filled()), ({ thread, bytes }) => `${thread}: ${bytes.join()}`);
  reader.endRound(waitingBytes);
  return texts;
}

const size = (parts: readonly { readonly bytes: Uint8Array }[]) =>
  parts.reduce((sum, { bytes }) => sum + bytes.length, 0);

describe('what threads write', () => {
  it('is read once, each in its order', () => {
    const { memory, reader } = newMemory();
    const [first, second] = [newWriter(memory), newWriter(memory)];
    expect(first.write(HEAD, Uint8Array.of(3))).toBe(true);
    expect(second.write(HEAD, Uint8Array.of(4))).toBe(true);
    expect(first.write(HEAD, Uint8Array.of(5))).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2,3,1,2,5', '2: 1,2,4']);
    expect(read(reader)).toEqual([]);
    expect(first.write(HEAD, Uint8Array.of(6))).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2,6']);
    expect(reader.usedBytes).toBe(0);
  });

  it('may take several chunks, read in their order', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    const other = newWriter(memory);
    for (let n = 1; n <= 6; n++) {
      expect(writer.write(Uint8Array.of(n), HALF.subarray(1))).toBe(true);
      // So that chunks are freed in between, and the next ones lie before those of later numbers.
      if (n === 2) expect(other.write(HEAD, NOTHING)).toBe(true);
      if (n === 3) for (const { bytes } of reader.take(reader.filled().slice(0, 1))) expect(bytes[0]).toBe(1);
    }
    const firsts = Array.from(reader.take(reader.filled()), ({ thread, bytes }) => [thread, bytes[0]]);
    expect(firsts).toEqual([
      [1, 3],
      [1, 5],
      [2, 1],
    ]);
  });

  it('finds no room where as much waits as may, until it is read', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    let written = 0;
    while (writer.write(NOTHING, HALF)) written++;
    expect(written * HALF.length).toBeGreaterThan(0.85 * MIB);
    expect(written * HALF.length).toBeLessThanOrEqual(MIB);
    expect(size([...reader.take(reader.filled())])).toBe(written * HALF.length);
    reader.endRound(0);
    expect(writer.write(NOTHING, HALF)).toBe(true);
    read(reader, MIB);
    expect(writer.write(NOTHING, HALF)).toBe(false);
    read(reader, MIB / 2);
    expect(writer.write(NOTHING, HALF)).toBe(true);
  });

  it('is not larger than a chunk', () => {
    const { memory } = newMemory();
    expect(newWriter(memory).write(HEAD, new Uint8Array(CHUNK_SIZE - 2))).toBe(true);
    expect(newWriter(memory).write(HEAD, new Uint8Array(CHUNK_SIZE - 1))).toBe(false);
  });

  it('is asked to be read when there is much of it, once a round', () => {
    const { memory, reader } = newMemory();
    let asked = 0;
    const writer = newWriter(memory, () => asked++);
    for (let n = 0; n < 9; n++) writer.write(NOTHING, HALF);
    expect(asked).toBe(1);
    while (writer.write(NOTHING, HALF));
    expect(asked).toBe(1);
    read(reader);
    for (let n = 0; n < 9; n++) writer.write(NOTHING, HALF);
    expect(asked).toBe(2);
  });

  it('is nothing any more when the session is over', () => {
    const { memory, reader } = newMemory();
    const writer = newWriter(memory);
    writer.write(HEAD, NOTHING);
    expect(writer.isOver).toBe(false);
    reader.end();
    expect(writer.isOver).toBe(true);
    expect(read(reader)).toEqual(['1: 1,2']);
  });
});

describe('a thread that is terminated', () => {
  it('amid writing has all that it wrote before read, and its chunk freed when it is known', () => {
    const { memory, reader } = newMemory();
    newWriter(memory).write(HEAD, NOTHING);
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

  it('when it had taken a chunk and not written yet has it freed, too', () => {
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
  it('are told of by threads, once', () => {
    const { memory, reader } = newMemory();
    const [first, second] = [newWriter(memory), newWriter(memory)];
    first.drop();
    second.drop();
    second.drop();
    expect([...reader.losses()].sort((a, b) => a.thread - b.thread)).toEqual([
      { thread: 1, count: 1 },
      { thread: 2, count: 2 },
    ]);
    expect([...reader.losses()]).toEqual([]);
  });

  it('are all told of, however many threads there are', () => {
    const { memory, reader } = newMemory();
    const writers = Array.from({ length: 2 * SLOTS + 5 }, () => newWriter(memory));
    for (const writer of writers) writer.drop();
    const losses = [...reader.losses()];
    expect(losses.reduce((sum, { count }) => sum + count, 0)).toBe(writers.length);
  });
});

it('has about the size that may wait, room for some threads, and 64 MiB at the most', () => {
  expect(allocateSharedMemory(16 * MIB).chunks.length).toBeLessThanOrEqual(16 * MIB);
  expect(allocateSharedMemory(16 * MIB).chunks.length).toBeGreaterThan(15.9 * MIB);
  expect(allocateSharedMemory(1).chunks.length).toBe(4 * CHUNK_SIZE);
  expect(allocateSharedMemory(1e15).chunks.length).toBeLessThanOrEqual(64 * MIB);
});
