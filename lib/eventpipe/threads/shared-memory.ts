/**
 * The memory through which a session gets the events of worker threads: chunks, whose total size is about what may wait
 * to be written. A thread takes a free chunk and fills it; the main thread reads what has been written into chunks, and
 * frees them. Neither needs the other's cooperation: what a thread has written is available even while it is busy, and
 * after it has been terminated.
 *
 * The first word of a chunk contains its owner: the number of a thread, negative while it is writing. Numbers are never
 * reused, so a thread that finds its own number has owned the chunk all along.
 */

/** Room for the largest event, which has 64 KiB, and for what precedes its payload. */
export const CHUNK_SIZE = 0x1_1000;
export const CHUNK_KIB: number = CHUNK_SIZE / 1024;
/** A minimum that lets several threads write at once, however small the buffer. */
export const MIN_CHUNKS = 4;
/** 64 MiB: with larger buffers, events wait on the main thread instead. */
const MAX_CHUNKS = Math.floor((64 << 20) / CHUNK_SIZE);
/** How many threads have separate loss counts; beyond that, threads share them. */
export const SLOTS = 1024;

/** The meaning of the first words. */
export const Word = {
  /** 1: the session is over. */
  Over: 0,
  /** The number of the newest thread. */
  Threads: 1,
  /** The number of chunks with an owner; approximate until the main thread recounts them. */
  UsedChunks: 2,
  /** KiB waiting on the main thread to be written. */
  WaitingKiB: 3,
  /** Incremented whenever the main thread has read. Threads without room wait for a change. */
  Rounds: 4,
  /** 1 if the main thread, which waits for it, has been asked to read early and has not started. */
  IsAsked: 5,
} as const;
const HEAD_WORDS = 6;

/** The meaning of the words of a chunk. */
export const ChunkWord = {
  Owner: 0,
  /** Bytes written. */
  Length: 1,
  /** The number of chunks that its owner has had, including this one. */
  Number: 2,
} as const;
const CHUNK_WORDS = 3;

/** The meaning of the words of a thread's slot. */
export const SlotWord = {
  Dropped: 0,
  ThreadId: 1,
  OsThreadId: 2,
  /** The number of the thread, once it has exited. */
  Exited: 3,
  /** Events whose writing has begun: see `Subscriber.unfinished`. */
  Unfinished: 4,
} as const;
const SLOT_WORDS = 5;

/** Owners other than threads: nobody, and the main thread. */
export const FREE = 0;
export const READER = 0x7fff_ffff;

/** Cloneable with structuredClone; the memory remains shared. */
export interface SharedMemory {
  readonly words: Int32Array;
  readonly chunks: Uint8Array;
  /** How much may wait, in chunks and on the main thread together. */
  readonly limitKiB: number;
}

/** @param size the number of bytes that may wait */
export function allocateSharedMemory(size: number): SharedMemory {
  const count = Math.min(MAX_CHUNKS, Math.max(MIN_CHUNKS, Math.floor(size / CHUNK_SIZE)));
  const words = HEAD_WORDS + count * CHUNK_WORDS + SLOTS * SLOT_WORDS;
  return {
    words: new Int32Array(new SharedArrayBuffer(words * Int32Array.BYTES_PER_ELEMENT)),
    chunks: new Uint8Array(mappedMemory(count * CHUNK_SIZE), 0, count * CHUNK_SIZE),
    limitKiB: Math.max(MIN_CHUNKS * CHUNK_KIB, size / 1024),
  };
}

/**
 * Memory that the system maps separately: it is not committed before it is written to, the lowest chunks are used
 * first, and all of it is returned. V8 maps buffers that can grow, even by 0 bytes. Other buffers come from the C
 * library, which retains the fragmented memory of earlier sessions, and zeroes the memory for each new one.
 */
function mappedMemory(size: number): SharedArrayBuffer {
  const Growable = SharedArrayBuffer as new (
    length: number,
    options: { maxByteLength: number },
  ) => SharedArrayBuffer;
  return new Growable(size, { maxByteLength: size });
}

export function chunkCount({ chunks }: SharedMemory): number {
  return chunks.length / CHUNK_SIZE;
}

/** Returns where the words of a chunk start. */
export function wordsOfChunk(chunk: number): number {
  return HEAD_WORDS + chunk * CHUNK_WORDS;
}

/** Returns where the words of a thread's slot start. */
export function wordsOfSlot(memory: SharedMemory, thread: number): number {
  return wordsOfChunk(chunkCount(memory)) + (thread % SLOTS) * SLOT_WORDS;
}

/** The numbers of the threads that have a slot of their own, newest first. */
export function* threadsWithSlots({ words }: SharedMemory): Generator<number, void, undefined> {
  const last = Atomics.load(words, Word.Threads);
  for (let thread = last; thread > Math.max(0, last - SLOTS); thread--) yield thread;
}

/** Records that a thread, given by its Node.js id, has ended. */
export function markExited(memory: SharedMemory, threadId: number): void {
  const { words } = memory;
  for (const thread of threadsWithSlots(memory)) {
    const at = wordsOfSlot(memory, thread);
    if (Atomics.load(words, at + SlotWord.ThreadId) === threadId) {
      Atomics.store(words, at + SlotWord.Exited, thread);
    }
  }
}
