/** Converts the time stamps of a nettrace's events from the ticks of its clock. */
import type { TraceHead } from '../../wire/nettrace/trace-head.ts';
import type { Nanoseconds } from '../trace-event.ts';

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

export class Clock {
  /** The time since 1970. */
  readonly startTime: Nanoseconds;
  readonly #syncTicks: bigint;
  readonly #ticksPerSecond: bigint;

  constructor(head: TraceHead) {
    this.startTime = BigInt(head.startTimeMs) * NS_PER_MS;
    this.#syncTicks = head.syncTicks;
    this.#ticksPerSecond = head.ticksPerSecond;
  }

  /** Negative before the start. */
  sinceStart(ticks: bigint): Nanoseconds {
    return ((ticks - this.#syncTicks) * NS_PER_SECOND) / this.#ticksPerSecond;
  }
}
