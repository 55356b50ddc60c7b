/** How the main thread reads what worker threads have put into the shared memory. */
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

/** What one thread has written, in order. */
export interface ThreadBytes {
  /** Numbers are never reused. */
  readonly thread: number;
  readonly chunk: number;
  readonly bytes: Uint8Array;
}

/** Events that a thread has lost. */
export interface ThreadLosses {
  readonly thread: number;
  readonly count: number;
  /** To be kept in `counted` when the count has been. */
  readonly slot: number;
  readonly total: number;
}

/** What there is to read of a chunk. */
export interface FilledChunk {
  readonly chunk: number;
  readonly thread: number;
  readonly number: number;
  readonly length: number;
}

export class SharedMemoryReader {
  readonly #memory: SharedMemory;
  /**
   * Bytes of each chunk that have been read. Who reads says so, by an assignment, after each record: what is given
   * up amid is read on from there.
   */
  readonly read: number[];
  /** Losses of each slot's thread that have been counted; set in the same way. */
  readonly counted: number[] = Array.from({ length: SLOTS }, () => 0);
  /** The number of the chunk that comes next, by threads that have had one before. */
  readonly #nextChunks = new Map<number, number>();

  constructor(memory: SharedMemory) {
    this.#memory = memory;
    this.read = Array.from({ length: chunkCount(memory) }, () => 0);
  }

  /** What has been written up to here, by threads, in the order in which they wrote. To be taken at once. */
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
      // Is being taken, and has no number yet; or its thread was terminated when it took it.
      else if (this.hasExited(thread)) Atomics.store(words, at + ChunkWord.Owner, FREE);
    }
    // Numbers of chunks have 32 bits, of which a busy thread runs out in some weeks: they start over.
    return filled.sort((a, b) => a.thread - b.thread || (a.number - b.number) | 0);
  }

  /** The bytes of the chunks, each part until the next one is asked for. */
  *take(filled: readonly FilledChunk[]): Generator<ThreadBytes, void, undefined> {
    for (const each of filled) {
      const { chunk, thread, number, length } = each;
      // The chunk before it was not seen, because it was taken behind the back of whoever looked.
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
   * @param isLast whether an event that has not been finished until now is lost
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

  /** Whether the thread is known to run no more. All that it has written was there before. */
  hasExited(thread: number): boolean {
    const { words } = this.#memory;
    return Atomics.load(words, wordsOfSlot(this.#memory, thread) + SlotWord.Exited) === thread;
  }

  /** A thread that has exited, and of which everything has been read. */
  forget(thread: number): void {
    this.#nextChunks.delete(thread);
  }

  /** The ids that Node.js and the system know the thread by; that of the system is 0 where it is not known. */
  idsOf(thread: number): { readonly threadId: number; readonly osThreadId: number } {
    const { words } = this.#memory;
    const at = wordsOfSlot(this.#memory, thread);
    return {
      threadId: Atomics.load(words, at + SlotWord.ThreadId),
      osThreadId: Atomics.load(words, at + SlotWord.OsThreadId),
    };
  }

  /** Bytes of chunks that have an owner, whatever is in them. */
  get usedBytes(): number {
    return Atomics.load(this.#memory.words, Word.UsedChunks) * CHUNK_SIZE;
  }

  /** Tells threads how much waits, and those that wait for room to try again. */
  endRound(waitingBytes: number): void {
    const { words } = this.#memory;
    if (this.#hasThreads) Atomics.store(words, Word.UsedChunks, this.#countUsed());
    Atomics.store(words, Word.WaitingKiB, Math.ceil(waitingBytes / 1024));
    Atomics.add(words, Word.Rounds, 1);
    Atomics.notify(words, Word.Rounds);
  }

  /** No thread writes any more but what it is writing now. */
  end(): void {
    const { words } = this.#memory;
    Atomics.store(words, Word.Over, 1);
    Atomics.add(words, Word.Rounds, 1);
    Atomics.notify(words, Word.Rounds);
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

  /** Unless its thread writes, or has written more. */
  #free({ chunk, thread, number, length }: FilledChunk): void {
    const { words } = this.#memory;
    const at = wordsOfChunk(chunk);
    const owner = Atomics.compareExchange(words, at + ChunkWord.Owner, thread, READER);
    // Else it writes, unless it was terminated when it did.
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
