/** How the main thread reads what worker threads have written to the shared memory. */
import {
  CHUNK_SIZE,
  ChunkWord,
  chunkCount,
  FREE,
  READER,
  type SharedMemory,
  SLOTS,
  SlotWord,
  threadsWithSlots,
  Word,
  wordsOfChunk,
  wordsOfSlot,
} from './shared-memory.ts';

/** The bytes written by one thread, in order. */
export interface ThreadBytes {
  /** Numbers are never reused. */
  readonly thread: number;
  readonly chunk: number;
  readonly bytes: Uint8Array;
}

/** Events that a thread has lost. */
interface ThreadLosses {
  readonly thread: number;
  readonly count: number;
  /** Assign this to `counted` once the losses have been counted. */
  readonly slot: number;
  readonly total: number;
}

/** The readable part of a chunk. */
interface FilledChunk {
  readonly chunk: number;
  readonly thread: number;
  readonly number: number;
  readonly length: number;
}

export class SharedMemoryReader {
  readonly #memory: SharedMemory;
  /**
   * The number of bytes of each chunk that have been read. The consumer updates it by assignment after each record:
   * after an interruption, reading continues there.
   */
  readonly read: number[];
  /** The losses counted so far, per slot; updated in the same way. */
  readonly counted: number[] = Array.from({ length: SLOTS }, () => 0);
  /** The number of the next chunk, by thread; only for threads that have had one. */
  readonly #nextChunks = new Map<number, number>();

  constructor(memory: SharedMemory) {
    this.#memory = memory;
    this.read = Array.from({ length: chunkCount(memory) }, () => 0);
  }

  /** Calls `read` from the event loop when a thread asks for it, until the end. Waiting keeps no process alive. */
  onAsked(read: () => void): void {
    const { words } = this.#memory;
    const next = (): void => {
      if (Atomics.load(words, Word.Over) !== 0) return;
      read();
      this.onAsked(read);
    };
    const { async, value } = Atomics.waitAsync(words, Word.IsAsked, 0);
    if (async) void value.then(next);
    // It has been asked again: the loop has its turn first.
    else setImmediate(next).unref();
  }

  /** Everything written so far, by thread and in order. Process it immediately. */
  filled(): readonly FilledChunk[] {
    const { words } = this.#memory;
    Atomics.store(words, Word.IsAsked, 0);
    const filled: FilledChunk[] = [];
    if (!this.#hasThreads) return filled;
    for (let chunk = 0; chunk < this.read.length; chunk++) {
      const at = wordsOfChunk(chunk);
      const owner = Atomics.load(words, at + ChunkWord.Owner);
      if (owner === FREE) continue;
      const length = Atomics.load(words, at + ChunkWord.Length);
      const thread = Math.abs(owner);
      const number = Atomics.load(words, at + ChunkWord.Number);
      if (length > 0 || owner > 0) filled.push({ chunk, thread, number, length });
      // A thread is taking it and has not numbered it yet, or was terminated while taking it.
      else if (this.hasExited(thread)) Atomics.store(words, at + ChunkWord.Owner, FREE);
    }
    // Chunk numbers have 32 bits and wrap around after some weeks of a busy thread.
    return filled.sort((a, b) => a.thread - b.thread || (a.number - b.number) | 0);
  }

  /** The bytes of the chunks; each part is valid until the next one. */
  *take(filled: readonly FilledChunk[]): Generator<ThreadBytes, void, undefined> {
    for (const each of filled) {
      const { chunk, thread, number, length } = each;
      // The previous chunk was missed: its thread took it during the scan.
      if (number !== (this.#nextChunks.get(thread) ?? 1)) continue;
      const start = chunk * CHUNK_SIZE;
      const from = this.read[chunk] as number;
      if (from < length) {
        yield { thread, chunk, bytes: this.#memory.chunks.subarray(start + from, start + length) };
      }
      this.#free(each);
    }
  }

  /**
   * Events that threads have lost since the last call.
   *
   * @param isLast whether unfinished events are lost
   */
  *losses(isLast: boolean): Generator<ThreadLosses, void, undefined> {
    const { words } = this.#memory;
    for (const thread of threadsWithSlots(this.#memory)) {
      const at = wordsOfSlot(this.#memory, thread);
      let total = Atomics.load(words, at + SlotWord.Dropped);
      if (isLast || this.hasExited(thread)) total += Atomics.load(words, at + SlotWord.Unfinished);
      const slot = thread % SLOTS;
      const count = (total - (this.counted[slot] as number)) >>> 0;
      if (count > 0) yield { thread, count, slot, total };
    }
  }

  /** Whether the thread is known to have ended. Everything that it wrote was there before. */
  hasExited(thread: number): boolean {
    const { words } = this.#memory;
    return Atomics.load(words, wordsOfSlot(this.#memory, thread) + SlotWord.Exited) === thread;
  }

  /** Forgets a thread that has exited and whose bytes have all been read. */
  forget(thread: number): void {
    this.#nextChunks.delete(thread);
  }

  /** The thread's ids in Node.js and in the system; the latter is 0 if unknown. */
  idsOf(thread: number): { readonly threadId: number; readonly osThreadId: number } {
    const { words } = this.#memory;
    const at = wordsOfSlot(this.#memory, thread);
    return {
      threadId: Atomics.load(words, at + SlotWord.ThreadId),
      osThreadId: Atomics.load(words, at + SlotWord.OsThreadId),
    };
  }

  /** The size of the chunks that have an owner, however full they are. */
  get usedBytes(): number {
    return Atomics.load(this.#memory.words, Word.UsedChunks) * CHUNK_SIZE;
  }

  /** Tells threads how much is waiting, and makes those waiting for room try again. */
  endRound(waitingBytes: number): void {
    const { words } = this.#memory;
    if (this.#hasThreads) Atomics.store(words, Word.UsedChunks, this.#countUsed());
    Atomics.store(words, Word.WaitingKiB, Math.ceil(waitingBytes / 1024));
    Atomics.add(words, Word.Rounds, 1);
    Atomics.notify(words, Word.Rounds);
  }

  /** Stops all threads from writing, after the event that they are writing now. */
  end(): void {
    const { words } = this.#memory;
    Atomics.store(words, Word.Over, 1);
    Atomics.add(words, Word.Rounds, 1);
    Atomics.notify(words, Word.Rounds);
    Atomics.notify(words, Word.IsAsked);
  }

  get #hasThreads(): boolean {
    return Atomics.load(this.#memory.words, Word.Threads) > 0;
  }

  #countUsed(): number {
    let used = 0;
    for (let chunk = 0; chunk < this.read.length; chunk++) {
      if (Atomics.load(this.#memory.words, wordsOfChunk(chunk) + ChunkWord.Owner) !== FREE) used++;
    }
    return used;
  }

  /** Frees a chunk unless its thread is writing or has written more. */
  #free({ chunk, thread, number, length }: FilledChunk): void {
    const { words } = this.#memory;
    const at = wordsOfChunk(chunk);
    const owner = Atomics.compareExchange(words, at + ChunkWord.Owner, thread, READER);
    // Otherwise the thread is writing, unless it was terminated while doing so.
    if (owner !== thread && !this.hasExited(thread)) return;
    if (Atomics.load(words, at + ChunkWord.Length) > length) {
      Atomics.store(words, at + ChunkWord.Owner, thread);
      return;
    }
    this.#nextChunks.set(thread, (number + 1) | 0);
    Atomics.store(words, at + ChunkWord.Length, 0);
    this.read[chunk] = 0;
    Atomics.store(words, at + ChunkWord.Owner, FREE);
  }
}
