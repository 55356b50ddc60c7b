/**
 * The records of all buffers in time order. A buffer belongs to one processor, and its records are in order; the
 * buffers of several processors overlap in time. Only buffers with records both before and after the current one are in
 * memory: each is read when its first record is due, and dropped after its last.
 */
import { Heap, type HeapItem } from '../../base/heap.ts';
import type { EtlBuffer } from '../../wire/etl/buffer.ts';
import { type RawTime, RecordCursor } from '../../wire/etl/record-cursor.ts';

/** A buffer with records, from the index. */
export interface IndexedBuffer {
  /** Numbers all buffers, so that buffers with equal times stay in the order of the files. */
  readonly index: number;
  readonly file: number;
  readonly position: number;
  readonly size: number;
  /** Ticks of its earliest record. */
  readonly firstTicks: number;
  /** Whether each record is at least as late as the previous one. */
  readonly isOrdered: boolean;
  /** The raw time in this buffer from which ticks are counted. */
  readonly start: RawTime;
}

/** A loaded buffer, positioned at one of its records. */
export class BufferRun implements HeapItem {
  heapIndex = -1;
  readonly cursor: RecordCursor;
  readonly index: number;
  /** The positions of the records in time order, if that differs from their own. */
  readonly #offsets: readonly number[] | undefined;
  #next = 0;

  readonly start: RawTime;

  constructor(buffer: EtlBuffer, { index, isOrdered, start }: IndexedBuffer) {
    this.index = index;
    this.start = start;
    this.#offsets = isOrdered ? undefined : sortedOffsets(buffer, start);
    this.cursor = new RecordCursor(buffer, start);
  }

  next(): boolean {
    if (this.#offsets === undefined) return this.cursor.next();
    const offset = this.#offsets[this.#next++];
    if (offset === undefined) return false;
    this.cursor.seek(offset);
    return true;
  }
}

function sortedOffsets(buffer: EtlBuffer, start: RawTime): number[] {
  const records: { offset: number; ticks: number }[] = [];
  const cursor = new RecordCursor(buffer, start);
  while (cursor.next()) records.push({ offset: cursor.offset, ticks: cursor.ticks });
  return records.sort((a, b) => a.ticks - b.ticks).map(({ offset }) => offset);
}

export class TimeMerge {
  readonly #waiting: readonly IndexedBuffer[];
  #waitingFrom = 0;
  readonly #runs = new Heap<BufferRun>(isEarlier);

  constructor(buffers: readonly IndexedBuffer[]) {
    this.#waiting = [...buffers].sort((a, b) => a.firstTicks - b.firstTicks || a.index - b.index);
  }

  /** The buffer that must be added before the next record is known. */
  get due(): IndexedBuffer | undefined {
    const waiting = this.#waiting[this.#waitingFrom];
    const top = this.#runs.first;
    if (waiting === undefined || top === undefined) return waiting;
    const { ticks } = top.cursor;
    const isDue = waiting.firstTicks < ticks || (waiting.firstTicks === ticks && waiting.index < top.index);
    return isDue ? waiting : undefined;
  }

  /** Adds the buffer that is due; a buffer without records is skipped. */
  add(run: BufferRun): void {
    this.#waitingFrom++;
    if (run.next()) this.#runs.add(run);
  }

  /** At the earliest record, unless a buffer is due; undefined at the end. */
  get current(): BufferRun | undefined {
    return this.#runs.first;
  }

  /** Moves past the current record. @returns the buffer, if that was its last one */
  advance(): BufferRun | undefined {
    const top = this.#runs.first as BufferRun;
    if (top.next()) {
      this.#runs.moved(top);
      return undefined;
    }
    this.#runs.remove(top);
    return top;
  }
}

function isEarlier(a: BufferRun, b: BufferRun): boolean {
  const difference = a.cursor.ticks - b.cursor.ticks;
  return difference < 0 || (difference === 0 && a.index < b.index);
}
