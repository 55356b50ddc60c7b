/**
 * What was recorded in the order of time. perf writes the buffer of one processor after the other, so that in
 * a file time jumps back; a `finishedRound` record says how far back it can still go: at the end of a round
 * all that is not later than the latest of the round before is final. So two rounds are held in memory.
 *
 * A round is at most what all buffers hold, by default 512 KiB for each processor. More than that is not
 * waited for: of a file without rounds, too, only a window is held. Where the limit is reached, the earlier
 * half is given out; something earlier still that comes after that is late: it is given, but out of order.
 */

/** Two rounds of 64 processors with perf's default buffers. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
/** An item takes some 300 bytes beside those of the file. */
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

  /** Whether something later has been given out, so that what has this time can only come out of order. */
  isLate(time: bigint): boolean {
    return time < this.latestGiven;
  }

  /** @param size bytes of the file that the item keeps in memory */
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

  /** All has been added. */
  finish(): void {
    this.held.sort(byTime);
    this.give(this.held.length);
  }

  /** What is final and has not been taken yet. */
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
