/** The ring buffers of a trace.dat: the events of all processors, merged by time. */

import { Heap } from '../../base/heap.ts';
import { type FtraceEvent, readPage } from '../../wire/ftrace/page.ts';
import type { ProcessorPages, TraceDatHead } from '../../wire/trace-dat/head.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { PackedBytes } from './packed-bytes.ts';

/** Pages read at a time. */
const PAGES = 64;
/** trace-cmd compresses some ten pages at a time. */
const MAX_CHUNK_SIZE = 16 * 1024 * 1024;
const SIZES_SIZE = 8;
const COUNT_SIZE = 4;

export class RingBuffer {
  heapIndex = -1;
  /** The next event, from `next` on. */
  event: FtraceEvent | undefined = undefined;
  readonly processor: number;
  /** The number of events missing before `event`, since the last call. */
  #lost = 0;
  #events: readonly FtraceEvent[] = [];
  #index = 0;
  /** Position in the file of the page, or of the compressed chunk that contains it. */
  #position = 0;
  readonly #head: TraceDatHead;
  readonly #pages: AsyncGenerator<Uint8Array>;

  constructor(bytes: PackedBytes, head: TraceDatHead, pages: ProcessorPages) {
    this.processor = pages.processor;
    this.#head = head;
    this.#pages =
      pages.compression === 'none' ? this.#plainPages(bytes, pages) : this.#unpackedPages(bytes, pages);
  }

  /** The position of the event in the file. */
  get position(): number {
    return this.#position;
  }

  /** @returns whether there was another event in what has been read */
  step(): boolean {
    this.event = this.#events[this.#index++];
    return this.event !== undefined;
  }

  /**
   * Reads until there is another event.
   * @returns false at the end
   * @throws TraceError
   */
  async read(): Promise<boolean> {
    for (;;) {
      if (this.step()) return true;
      const { done, value } = await this.#pages.next();
      if (done) return false;
      this.#takePage(value);
    }
  }

  /** The number of events missing before this one, returned once. */
  takeLost(): number {
    const lost = this.#lost;
    this.#lost = 0;
    return lost;
  }

  #takePage(bytes: Uint8Array): void {
    try {
      const { events, lostBefore = 1 } = readPage(bytes, this.#head.layout);
      this.#events = events;
      this.#lost += lostBefore;
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      throw new TraceError(error.code, this.#position + error.offset, error.sentence, { cause: error });
    }
    this.#index = 0;
  }

  async *#plainPages(bytes: PackedBytes, { start, end }: ProcessorPages): AsyncGenerator<Uint8Array> {
    const { pageSize } = this.#head;
    for (let at = start; at < end; at += PAGES * pageSize) {
      const read = await bytes.read({ start: at, end: Math.min(end, at + PAGES * pageSize) });
      yield* this.#pagesOf(read, at, 1);
      if (at + read.length < Math.min(end, at + PAGES * pageSize)) {
        throw new TraceError(
          'truncated',
          at + read.length,
          `The file ends before the events of processor ${this.processor}.`,
        );
      }
    }
  }

  /**
   * Layout: u32 number of chunks, not included in the part's size; for each, its compressed size u32, its size u32, the
   * compressed pages.
   */
  async *#unpackedPages(
    bytes: PackedBytes,
    { start, end, compression }: ProcessorPages,
  ): AsyncGenerator<Uint8Array> {
    if (start === end) return;
    const [chunks] = await bytes.words(start, COUNT_SIZE);
    let at = start + COUNT_SIZE;
    for (let i = 0; i < (chunks as number); i++) {
      const [packed, size] = (await bytes.words(at, SIZES_SIZE)) as [number, number];
      const packedStart = at + SIZES_SIZE;
      if (packedStart + packed > end + COUNT_SIZE || size > MAX_CHUNK_SIZE) {
        throw new TraceError(
          'malformed',
          at,
          `A chunk of pages cannot have ${size} bytes, ${packed} compressed.`,
        );
      }
      const part = { start: packedStart, end: packedStart + packed, compression, unpackedSize: size };
      const chunk = await bytes.read(part);
      yield* this.#pagesOf(chunk, packedStart, 0);
      at = packedStart + packed;
    }
  }

  *#pagesOf(bytes: Uint8Array, start: number, step: 0 | 1): Generator<Uint8Array> {
    const { pageSize } = this.#head;
    for (let offset = 0; offset < bytes.length; offset += pageSize) {
      this.#position = start + step * offset;
      yield bytes.subarray(offset, offset + pageSize);
    }
  }
}

/**
 * All buffers in time order. The first one is only known until something moves: take its event, then move.
 */
export class MergedBuffers {
  readonly #heap = new Heap<RingBuffer>((a, b) => {
    const [first, second] = [timeOf(a), timeOf(b)];
    return first < second || (first === second && a.processor < b.processor);
  });

  /** Adds a buffer, unless it has no events. */
  async add(buffer: RingBuffer): Promise<void> {
    if (await buffer.read()) this.#heap.add(buffer);
  }

  /** The buffer with the next event. */
  get first(): RingBuffer | undefined {
    return this.#heap.first;
  }

  /** Moves past the first event. @returns false if its buffer must be read further */
  step(): boolean {
    const { first } = this.#heap;
    if (first === undefined || !first.step()) return false;
    this.#heap.moved(first);
    return true;
  }

  /** @throws TraceError */
  async readFirst(): Promise<void> {
    const { first } = this.#heap;
    if (first === undefined) return;
    if (await first.read()) this.#heap.moved(first);
    else this.#heap.remove(first);
  }
}

function timeOf({ event }: RingBuffer): bigint {
  return event?.time ?? 0n;
}
