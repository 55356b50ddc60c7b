/** How a worker thread writes its events to the memory shared with the main thread. */
import { threadId } from 'node:worker_threads';
import { osThreadId } from '../../listen/os-thread-id.ts';
import {
  CHUNK_KIB,
  CHUNK_SIZE,
  ChunkWord,
  chunkCount,
  FREE,
  MIN_CHUNKS,
  type SharedMemory,
  SlotWord,
  Word,
  wordsOfChunk,
  wordsOfSlot,
} from './shared-memory.ts';

/** If the main thread has not read for this long, it may be waiting for this thread. */
const PATIENCE_MS = 5000;
const NO_CHUNK = -1;

export class SharedMemoryWriter {
  /** A single number: see `Subscriber.unfinished`. */
  readonly unfinished: Int32Array;
  readonly #memory: SharedMemory;
  readonly #waits: boolean;
  readonly #thread: number;
  readonly #slotAt: number;
  #chunk = NO_CHUNK;
  #chunks = 0;
  /** The round in which waiting for the main thread timed out. */
  #roundWithoutEnd = -1;

  /** @param waits whether a write waits if there is no room */
  constructor(memory: SharedMemory, waits: boolean) {
    const { words } = memory;
    this.#memory = memory;
    this.#waits = waits;
    this.#thread = Atomics.add(words, Word.Threads, 1) + 1;
    this.#slotAt = wordsOfSlot(memory, this.#thread);
    const unfinishedAt = this.#slotAt + SlotWord.Unfinished;
    this.unfinished = words.subarray(unfinishedAt, unfinishedAt + 1);
    Atomics.store(words, this.#slotAt + SlotWord.ThreadId, threadId);
    Atomics.store(words, this.#slotAt + SlotWord.OsThreadId, osThreadId() ?? 0);
  }

  get isOver(): boolean {
    return Atomics.load(this.#memory.words, Word.Over) !== 0;
  }

  /**
   * Writes everything or nothing.
   *
   * @param events how many unfinished events this completes
   * @returns false if there is no room
   */
  write(head: Uint8Array, payload: Uint8Array, events: 0 | 1): boolean {
    if (head.length + payload.length > CHUNK_SIZE) return false;
    while (!this.#append(head, payload, events)) {
      if (!this.#takeChunk() && !this.#waitForRoom()) return false;
    }
    return true;
  }

  /** Counts unfinished events as lost, unless the session has ended. */
  drop(count: number): void {
    if (!this.isOver) Atomics.add(this.#memory.words, this.#slotAt + SlotWord.Dropped, count);
    // No calls: they are counted once.
    (this.unfinished[0] as number) -= count;
  }

  /**
   * A thread terminated in here leaves a chunk that only the main thread can free, once it knows. A thread that
   * continues after a stack overflow in here still owns the chunk and can write to it.
   */
  #append(head: Uint8Array, payload: Uint8Array, events: 0 | 1): boolean {
    if (this.#chunk === NO_CHUNK) return false;
    const thread = this.#thread;
    const { words, chunks } = this.#memory;
    const at = wordsOfChunk(this.#chunk);
    const length = Atomics.load(words, at + ChunkWord.Length);
    const end = length + head.length + payload.length;
    if (end > CHUNK_SIZE) return false;
    const start = this.#chunk * CHUNK_SIZE + length;
    const owner = Atomics.compareExchange(words, at + ChunkWord.Owner, thread, -thread);
    if (owner !== thread && owner !== -thread) return false;
    chunks.set(head, start);
    chunks.set(payload, start + head.length);
    Atomics.store(words, at + ChunkWord.Length, end);
    // No calls: the record is readable from here on.
    (this.unfinished[0] as number) -= events;
    Atomics.store(words, at + ChunkWord.Owner, thread);
    return true;
  }

  /** Takes the next chunk. The previous one is the main thread's to free, or has been freed. */
  #takeChunk(): boolean {
    const thread = this.#thread;
    const { words, limitKiB } = this.#memory;
    if (this.#chunk !== NO_CHUNK) {
      // After a stack overflow within a record, the chunk is still marked as being written.
      Atomics.compareExchange(words, wordsOfChunk(this.#chunk) + ChunkWord.Owner, -thread, thread);
    }
    this.#chunk = NO_CHUNK;
    const count = chunkCount(this.#memory);
    const used = Atomics.load(words, Word.UsedChunks);
    // About as many bytes as trigger a flush on the main thread itself.
    if (used >= MIN_CHUNKS && Atomics.exchange(words, Word.IsAsked, 1) === 0) {
      // Not by a message: a port that is interrupted while Node.js makes it keeps its thread alive, or kills it.
      Atomics.notify(words, Word.IsAsked);
    }
    if (used * CHUNK_KIB + Atomics.load(words, Word.WaitingKiB) >= limitKiB) return false;
    for (let chunk = 0; chunk < count; chunk++) {
      const at = wordsOfChunk(chunk);
      const owner = Atomics.load(words, at + ChunkWord.Owner);
      // It may be the thread's own, after a stack overflow while taking it.
      if (owner !== FREE && owner !== -thread) continue;
      if (Atomics.compareExchange(words, at + ChunkWord.Owner, owner, -thread) !== owner) continue;
      const number = this.#chunks + 1;
      Atomics.store(words, at + ChunkWord.Number, number);
      // No calls: the chunk belongs to this thread, and has its number.
      this.#chunk = chunk;
      this.#chunks = number;
      Atomics.add(words, Word.UsedChunks, 1);
      Atomics.store(words, at + ChunkWord.Owner, thread);
      return true;
    }
    return false;
  }

  /** @returns whether there may be room */
  #waitForRoom(): boolean {
    if (!this.#waits) return false;
    const { words } = this.#memory;
    const round = Atomics.load(words, Word.Rounds);
    if (this.isOver || round === this.#roundWithoutEnd) return false;
    if (Atomics.wait(words, Word.Rounds, round, PATIENCE_MS) === 'timed-out') this.#roundWithoutEnd = round;
    return !this.isOver;
  }
}
