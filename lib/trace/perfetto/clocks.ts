/** The clocks of a Perfetto trace, which snapshots relate to each other. */
import { Clock, type ClockReading } from '../../wire/perfetto/messages.ts';
import type { Integer } from '../../wire/protobuf/message-reader.ts';

interface KnownClock {
  /** Nanoseconds per tick. */
  readonly unit: bigint;
  readonly isIncremental: boolean;
  /** The last time of an incremental clock, in ticks. */
  last: bigint;
  /** Added to its nanoseconds gives the trace's clock; undefined if nothing relates it to that. */
  offset: bigint | undefined;
}

/** Sequences have clocks of their own. */
const MAX_CLOCKS = 100_000;

export class Clocks {
  /** The time of the first snapshot, on the trace's clock. */
  start: bigint | undefined = undefined;
  /** Added to times gives nanoseconds since 1970; undefined if no snapshot has the wall clock. */
  wallOffset: bigint | undefined = undefined;
  readonly #clocks = new Map<string, KnownClock>();
  #primary: number = Clock.BootTime;

  snapshot(readings: readonly ClockReading[], primary: Integer | undefined, sequence: number): void {
    if (this.start === undefined && primary !== undefined) this.#primary = Number(primary);
    const now = this.#now(readings, sequence);
    for (const reading of readings) {
      const { clockId = 0, timestamp = 0, unitMultiplierNs = 1, isIncremental = false } = reading;
      const unit = BigInt(unitMultiplierNs);
      const ticks = BigInt(timestamp);
      const offset = now === undefined ? undefined : now - ticks * unit;
      const key = keyOf(Number(clockId), sequence);
      if (this.#clocks.size >= MAX_CLOCKS && !this.#clocks.has(key)) continue;
      this.#clocks.set(key, { unit, isIncremental, last: ticks, offset });
      if (Number(clockId) === Clock.RealTime) this.wallOffset ??= offset === undefined ? undefined : -offset;
    }
    this.start ??= now;
  }

  /** A time on the trace's clock, in nanoseconds. */
  time(ticks: Integer, clockId: Integer | undefined, sequence: number): bigint {
    const id = Number(clockId ?? Clock.BootTime);
    const clock = this.#clocks.get(keyOf(id, sequence));
    if (clock === undefined) return BigInt(ticks);
    const now = clock.isIncremental ? clock.last + BigInt(ticks) : BigInt(ticks);
    clock.last = now;
    return now * clock.unit + (clock.offset ?? 0n);
  }

  /** The time of a snapshot: by the trace's own clock, or by one that is related to it. */
  #now(readings: readonly ClockReading[], sequence: number): bigint | undefined {
    let other: bigint | undefined;
    for (const { clockId = 0, timestamp = 0, unitMultiplierNs = 1 } of readings) {
      const ns = BigInt(timestamp) * BigInt(unitMultiplierNs);
      if (Number(clockId) === this.#primary) return ns;
      const offset = this.#clocks.get(keyOf(Number(clockId), sequence))?.offset;
      if (offset !== undefined) other ??= ns + offset;
    }
    return other;
  }
}

function keyOf(id: number, sequence: number): string {
  return id >= Clock.FirstOfSequence && id <= Clock.LastOfSequence ? `${id} ${sequence}` : `${id}`;
}
