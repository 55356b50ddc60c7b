/** Converts the time stamps of a nettrace's events from the ticks of its clock. */
import { bigInt } from '../../base/bytes.ts';
import type { NetTraceEvent } from '../../wire/nettrace/event.ts';
import type { TraceHead } from '../../wire/nettrace/trace-head.ts';
import type { Nanoseconds } from '../trace-event.ts';

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;
/** 2 to the 32nd. */
const WORD = 0x1_0000_0000;

export class Clock {
  /** The time since 1970. */
  readonly startTime: Nanoseconds;
  readonly #syncTicks: bigint;
  readonly #ticksPerSecond: bigint;
  readonly #syncHigh: number;
  readonly #syncLow: number;
  /** NaN if a tick is no whole number of nanoseconds. */
  readonly #nsPerTick: number;

  constructor(head: TraceHead) {
    this.startTime = BigInt(head.startTimeMs) * NS_PER_MS;
    this.#syncTicks = head.syncTicks;
    this.#ticksPerSecond = head.ticksPerSecond;
    this.#syncHigh = Number(head.syncTicks >> 32n);
    this.#syncLow = Number(head.syncTicks & 0xffff_ffffn);
    const isWhole = NS_PER_SECOND % head.ticksPerSecond === 0n;
    this.#nsPerTick = isWhole ? Number(NS_PER_SECOND / head.ticksPerSecond) : Number.NaN;
  }

  /** Negative before the start. */
  sinceStart(ticks: bigint): Nanoseconds {
    return ((ticks - this.#syncTicks) * NS_PER_SECOND) / this.#ticksPerSecond;
  }

  /** Returns the same as a number: every reader asks for the time of every event, and big integers are slow. */
  nsSinceStart({ timeHigh, timeLow }: Pick<NetTraceEvent, 'timeHigh' | 'timeLow'>): number {
    const ns = ((timeHigh - this.#syncHigh) * WORD + (timeLow - this.#syncLow)) * this.#nsPerTick;
    return Number.isSafeInteger(ns) ? ns : Number(this.sinceStart(bigInt(timeHigh, timeLow)));
  }
}
