/**
 * Sorts what was recorded by time. perf writes the buffers of the processors in turn, so time jumps back within a file;
 * a `finishedRound` record bounds how far: at the end of a round, everything not later than the latest of the previous
 * round is final. So two rounds are held in memory.
 *
 * A round is at most the content of all buffers, by default 512 KiB per processor. More than that is not held, and for
 * a file without rounds only a window. At the limit, the earlier half is delivered; anything earlier that still arrives
 * is late: it is delivered, but out of order.
 */

/** Two rounds of 64 processors with perf's default buffers. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** An item takes about 300 bytes besides those of the file. */
const MAX_HELD_ITEMS = 1 << 18;

interface Held<T> {
  readonly time: bigint;
  readonly item: T;
  readonly size: number;
}

export interface Window {
  readonly bytes: number;
  readonly items: number;
}

export class TimeOrder<T> {
  private readonly window: Window;
  private held: Held<T>[] = [];
  private heldBytes = 0;
  private latest = 0n;
  private final = 0n;
  private ready: T[] = [];
  private latestGiven = 0n;

  constructor(window: Window = { bytes: MAX_HELD_BYTES, items: MAX_HELD_ITEMS }) {
    this.window = window;
  }

  /** Whether something later has been delivered, so that an item with this time can only be out of order. */
  isLate(time: bigint): boolean {
    return time < this.latestGiven;
  }

  /** @param size of the file's bytes that the item retains in memory */
  add(time: bigint, item: T, size: number): void {
    this.held.push({ time, item, size });
    this.heldBytes += size;
    if (time > this.latest) this.latest = time;
    if (this.held.length >= this.window.items || this.heldBytes >= this.window.bytes) this.giveEarlierHalf();
  }

  finishRound(): void {
    this.held.sort(byTime);
    const keepFrom = this.held.findIndex(({ time }) => time > this.final);
    this.give(keepFrom < 0 ? this.held.length : keepFrom);
    this.final = this.latest;
  }

  /** Everything has been added. */
  finish(): void {
    this.held.sort(byTime);
    this.give(this.held.length);
  }

  /** What is final and has not been consumed yet. */
  take(): T[] {
    const { ready } = this;
    this.ready = [];
    return ready;
  }

  private giveEarlierHalf(): void {
    this.held.sort(byTime);
    this.give(Math.ceil(this.held.length / 2));
  }

  private give(count: number): void {
    for (const { time, item, size } of this.held.slice(0, count)) {
      this.ready.push(item);
      this.heldBytes -= size;
      if (time > this.latestGiven) this.latestGiven = time;
    }
    this.held = this.held.slice(count);
  }
}

function byTime(a: { time: bigint }, b: { time: bigint }): number {
  if (a.time === b.time) return 0;
  return a.time < b.time ? -1 : 1;
}
