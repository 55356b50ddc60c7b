/**
 * Sorts what was recorded by time. perf writes the buffers of the processors in turn, so time jumps back within a file,
 * but a `finishedRound` record bounds how far: at the end of a round, everything not later than the latest record of the
 * round before is final. So two rounds are held in memory:
 *
 *     file    5 1 | 4 7 | 6 9 |     a round has the buffers of all processors, one after the other
 *     latest      5     7     9
 *     final       -     5     7     at the end of a round: up to the latest time of the round before
 *     given            1 4 5  6 7   in order of time; the end of the file gives the rest: 9
 *
 * A round is at most the content of all buffers, by default 512 KiB per processor. More than that is not held, and for
 * a file without rounds only a window. At the limit, the earlier half is given; anything earlier that still arrives is
 * late: it is given, but out of order.
 *
 * Rounds contain up to some hundred thousand samples. Each is held as a row of numbers: objects that live that long
 * would be copied by several garbage collections.
 */
import { enlarged } from '../../base/enlarged.ts';
import type { Piece } from './piece.ts';

/** Two rounds of 64 processors with perf's default buffers. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** A row takes about 40 bytes. */
const MAX_HELD_ITEMS = 1 << 18;

export interface Window {
  readonly bytes: number;
  readonly items: number;
}

const FIRST_CAPACITY = 1024;

/** Holds records as columns, in the order in which they were added. */
export class RecordRows<What> {
  count = 0;
  /** A kind of samples, or the record itself. */
  readonly what: What[] = [];
  /** The bytes that contain a sample, and the position of its body in them. */
  readonly pieces: (Piece | undefined)[] = [];
  starts = new Uint32Array(FIRST_CAPACITY);
  ends = new Uint32Array(FIRST_CAPACITY);
  /** The halves of the time, 64 bits unsigned. */
  timeHigh = new Uint32Array(FIRST_CAPACITY);
  timeLow = new Uint32Array(FIRST_CAPACITY);

  add(high: number, low: number, what: What, piece: Piece | undefined, start: number, end: number): void {
    const at = this.count;
    if (at === this.starts.length) this.#grow();
    this.what[at] = what;
    this.pieces[at] = piece;
    this.starts[at] = start;
    this.ends[at] = end;
    this.timeHigh[at] = high;
    this.timeLow[at] = low;
    this.count = at + 1;
  }

  /** Adds rows to others: those in `order` from `from` on. */
  addTo(rows: RecordRows<What>, order: Uint32Array, from: number): void {
    for (let i = from; i < this.count; i++) {
      const at = order[i] as number;
      const { pieces, starts, ends, timeHigh, timeLow } = this;
      const [high, low] = [timeHigh[at] as number, timeLow[at] as number];
      rows.add(high, low, this.what[at] as What, pieces[at], starts[at] as number, ends[at] as number);
    }
  }

  /** Releases what the rows refer to, but not their memory. */
  clear(): void {
    this.pieces.fill(undefined, 0, this.count);
    this.count = 0;
  }

  #grow(): void {
    const size = this.starts.length + 1;
    this.starts = enlarged(this.starts, size);
    this.ends = enlarged(this.ends, size);
    this.timeHigh = enlarged(this.timeHigh, size);
    this.timeLow = enlarged(this.timeLow, size);
  }
}

const NONE = new Uint32Array(0);

/**
 * Its calls alternate: records are added, one by one, until `hasReady`; then all that is ready is taken, by `next` until
 * it returns false; and so on. `finish` comes last, before what is then ready is taken.
 */
export class TimeOrder<What> {
  readonly #window: Window;
  /** What is held, including what is ready. */
  #rows = new RecordRows<What>();
  /** Rows that are empty, to which what is not ready moves. */
  #spare = new RecordRows<What>();
  #heldBytes = 0;
  /** The numbers of all rows in the order of time; what is ready comes first. */
  #order: Uint32Array = NONE;
  #readyCount = 0;
  /** How many of the ready rows have been taken, and the current one, which was taken last. */
  #taken = 0;
  #row = 0;
  #latestHigh = 0;
  #latestLow = 0;
  #finalHigh = 0;
  #finalLow = 0;
  #latestGivenHigh = 0;
  #latestGivenLow = 0;

  constructor(window: Window = { bytes: MAX_HELD_BYTES, items: MAX_HELD_ITEMS }) {
    this.#window = window;
  }

  /** Whether records are ready. As long as they are, nothing may be added, and no round may be finished. */
  get hasReady(): boolean {
    return this.#readyCount > 0;
  }

  /** Whether something later has been given, so that a record with this time can only be out of order. */
  isLate(high: number, low: number): boolean {
    const given = this.#latestGivenHigh;
    return high === given ? low < this.#latestGivenLow : high < given;
  }

  /** Adds a record; see `RecordRows`. `start` and `end` are 0 without a piece. */
  add(high: number, low: number, what: What, piece: Piece | undefined, start: number, end: number): void {
    const rows = this.#rows;
    rows.add(high, low, what, piece, start, end);
    this.#heldBytes += end - start;
    if (high > this.#latestHigh || (high === this.#latestHigh && low > this.#latestLow)) {
      this.#latestHigh = high;
      this.#latestLow = low;
    }
    if (rows.count >= this.#window.items || this.#heldBytes >= this.#window.bytes) {
      this.#order = inOrder(rows);
      this.#readyCount = Math.ceil(rows.count / 2);
    }
  }

  /** Makes ready what is not later than the latest record of the round before. */
  finishRound(): void {
    this.#order = inOrder(this.#rows);
    let low = 0;
    let high = this.#rows.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#isFinal(this.#order[middle] as number)) low = middle + 1;
      else high = middle;
    }
    this.#readyCount = low;
    this.#finalHigh = this.#latestHigh;
    this.#finalLow = this.#latestLow;
  }

  /** Makes everything ready: nothing more will be added. What has been taken of earlier records does not come again. */
  finish(): void {
    if (this.#taken > 0) this.#removeTaken();
    this.#order = inOrder(this.#rows);
    this.#readyCount = this.#rows.count;
  }

  /**
   * Takes the next ready record, which the properties below then describe, until the next call.
   *
   * @returns false if none is ready any more
   */
  next(): boolean {
    if (this.#taken < this.#readyCount) {
      this.#row = this.#order[this.#taken++] as number;
      return true;
    }
    if (this.#readyCount > 0) this.#removeTaken();
    return false;
  }

  get what(): What {
    return this.#rows.what[this.#row] as What;
  }

  /** The bytes that contain the current sample; undefined for anything else. */
  get piece(): Piece | undefined {
    return this.#rows.pieces[this.#row];
  }

  get start(): number {
    return this.#rows.starts[this.#row] as number;
  }

  get end(): number {
    return this.#rows.ends[this.#row] as number;
  }

  get timeHigh(): number {
    return this.#rows.timeHigh[this.#row] as number;
  }

  get timeLow(): number {
    return this.#rows.timeLow[this.#row] as number;
  }

  /** Keeps the rows that have not been taken, in the order of time. */
  #removeTaken(): void {
    const rows = this.#rows;
    const spare = this.#spare;
    for (let i = 0; i < this.#taken; i++) {
      const row = this.#order[i] as number;
      this.#heldBytes -= (rows.ends[row] as number) - (rows.starts[row] as number);
    }
    // The last one taken is the latest of them.
    if (!this.isLate(this.timeHigh, this.timeLow)) {
      this.#latestGivenHigh = this.timeHigh;
      this.#latestGivenLow = this.timeLow;
    }
    rows.addTo(spare, this.#order, this.#taken);
    rows.clear();
    this.#rows = spare;
    this.#spare = rows;
    this.#readyCount = 0;
    this.#taken = 0;
  }

  #isFinal(row: number): boolean {
    const high = this.#rows.timeHigh[row] as number;
    return high === this.#finalHigh
      ? (this.#rows.timeLow[row] as number) <= this.#finalLow
      : high < this.#finalHigh;
  }
}

/**
 * The numbers of the rows in the order of time; rows of the same time keep their order. The buffer of each processor is
 * in order already, so merging runs is far less work than sorting.
 */
function inOrder({ count, timeHigh, timeLow }: RecordRows<unknown>): Uint32Array {
  let order = new Uint32Array(count);
  let ends: number[] = [];
  for (let at = 0; at < count; at++) {
    order[at] = at;
    if (at + 1 === count || isLater(timeHigh, timeLow, at, at + 1)) ends.push(at + 1);
  }
  let merged = new Uint32Array(ends.length > 1 ? count : 0);
  while (ends.length > 1) {
    const mergedEnds: number[] = [];
    let start = 0;
    for (let i = 0; i < ends.length; i += 2) {
      const middle = ends[i] as number;
      const end = ends[i + 1] ?? middle;
      merge(timeHigh, timeLow, order, start, middle, end, merged);
      mergedEnds.push(end);
      start = end;
    }
    [order, merged] = [merged, order];
    ends = mergedEnds;
  }
  return order;
}

/** Merges two sorted parts of `from`, which start at `start` and at `middle`. */
function merge(
  timeHigh: Uint32Array,
  timeLow: Uint32Array,
  from: Uint32Array,
  start: number,
  middle: number,
  end: number,
  to: Uint32Array,
): void {
  let left = start;
  let right = middle;
  let at = start;
  while (left < middle && right < end) {
    const row = from[left] as number;
    const other = from[right] as number;
    if (isLater(timeHigh, timeLow, row, other)) {
      to[at++] = other;
      right++;
    } else {
      to[at++] = row;
      left++;
    }
  }
  while (left < middle) to[at++] = from[left++] as number;
  while (right < end) to[at++] = from[right++] as number;
}

/** Whether row `a` is later than row `b`. */
function isLater(timeHigh: Uint32Array, timeLow: Uint32Array, a: number, b: number): boolean {
  const high = timeHigh[a] as number;
  const other = timeHigh[b] as number;
  return high === other ? (timeLow[a] as number) > (timeLow[b] as number) : high > other;
}
