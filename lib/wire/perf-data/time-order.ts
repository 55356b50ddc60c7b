/**
 * Sorts what was recorded by time. perf writes the buffers of the processors in turn, so time jumps back within a file;
 * a `finishedRound` record bounds how far: at the end of a round, everything not later than the latest of the previous
 * round is final. So two rounds are held in memory.
 *
 * A round is at most the content of all buffers, by default 512 KiB per processor. More than that is not held, and for
 * a file without rounds only a window. At the limit, the earlier half is delivered; anything earlier that still arrives
 * is late: it is delivered, but out of order.
 *
 * Rounds contain up to some hundred thousand samples. Each is held as a row of numbers: objects that live that long
 * would be copied by several garbage collections.
 */
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

/** Records as columns. */
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
    if (at === this.starts.length) this.grow();
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

  private grow(): void {
    const size = this.starts.length * 2;
    this.starts = grown(this.starts, size);
    this.ends = grown(this.ends, size);
    this.timeHigh = grown(this.timeHigh, size);
    this.timeLow = grown(this.timeLow, size);
  }
}

function grown(column: Uint32Array<ArrayBuffer>, size: number): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(size);
  larger.set(column);
  return larger;
}

const NONE = new Uint32Array(0);

export class TimeOrder<What> {
  /** What is held, including what is ready. */
  rows = new RecordRows<What>();
  /** How many rows are final, and not taken yet; `order` starts with their numbers, in the order of time. */
  readyCount = 0;
  order: Uint32Array = NONE;
  private readonly window: Window;
  private spare = new RecordRows<What>();
  private heldBytes = 0;
  private latestHigh = 0;
  private latestLow = 0;
  private finalHigh = 0;
  private finalLow = 0;
  private latestGivenHigh = 0;
  private latestGivenLow = 0;

  constructor(window: Window = { bytes: MAX_HELD_BYTES, items: MAX_HELD_ITEMS }) {
    this.window = window;
  }

  /** Whether something later has been delivered, so that a record with this time can only be out of order. */
  isLate(high: number, low: number): boolean {
    const given = this.latestGivenHigh;
    return high === given ? low < this.latestGivenLow : high < given;
  }

  /** Call it only if nothing is ready. See `RecordRows`; `start` and `end` are 0 without a piece. */
  add(high: number, low: number, what: What, piece: Piece | undefined, start: number, end: number): void {
    const { rows, window } = this;
    rows.add(high, low, what, piece, start, end);
    this.heldBytes += end - start;
    if (high > this.latestHigh || (high === this.latestHigh && low > this.latestLow)) {
      this.latestHigh = high;
      this.latestLow = low;
    }
    if (rows.count >= window.items || this.heldBytes >= window.bytes) {
      this.order = inOrder(rows);
      this.readyCount = Math.ceil(rows.count / 2);
    }
  }

  /** Call it only if nothing is ready. */
  finishRound(): void {
    this.order = inOrder(this.rows);
    let low = 0;
    let high = this.rows.count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.isFinal(this.order[middle] as number)) low = middle + 1;
      else high = middle;
    }
    this.readyCount = low;
    this.finalHigh = this.latestHigh;
    this.finalLow = this.latestLow;
  }

  /** Everything has been added. Call it only if nothing is ready. */
  finish(): void {
    this.order = inOrder(this.rows);
    this.readyCount = this.rows.count;
  }

  /** Removes what is ready. */
  take(): void {
    const { rows, order, spare, readyCount } = this;
    if (readyCount === 0) return;
    for (let i = 0; i < readyCount; i++) {
      const row = order[i] as number;
      this.heldBytes -= (rows.ends[row] as number) - (rows.starts[row] as number);
    }
    const last = order[readyCount - 1] as number;
    const high = rows.timeHigh[last] as number;
    const low = rows.timeLow[last] as number;
    if (!this.isLate(high, low)) {
      this.latestGivenHigh = high;
      this.latestGivenLow = low;
    }
    rows.addTo(spare, order, readyCount);
    rows.clear();
    this.rows = spare;
    this.spare = rows;
    this.readyCount = 0;
  }

  private isFinal(row: number): boolean {
    const high = this.rows.timeHigh[row] as number;
    return high === this.finalHigh
      ? (this.rows.timeLow[row] as number) <= this.finalLow
      : high < this.finalHigh;
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
