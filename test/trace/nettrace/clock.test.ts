import { describe, expect, it } from 'vitest';
import { Clock } from '../../../lib/trace/nettrace/clock.ts';
import type { TraceHead } from '../../../lib/wire/nettrace/trace-head.ts';

function clockOf(syncTicks: bigint, ticksPerSecond: bigint): Clock {
  return new Clock({ startTimeMs: 0, syncTicks, ticksPerSecond } as TraceHead);
}

/** The halves of a time stamp, as an event has them. */
function halvesOf(ticks: bigint) {
  return { timeHigh: Number(BigInt.asIntN(32, ticks >> 32n)), timeLow: Number(ticks & 0xffff_ffffn) };
}

describe('The time since the start, as a number,', () => {
  // Linux, Windows, 24 MHz (Apple's processors), and the time stamp counter of a processor.
  const frequencies = [1_000_000_000n, 10_000_000n, 24_000_000n, 2_893_202_000n];
  const starts = [0n, 5n, (1n << 32n) - 1n, 1n << 40n, -(1n << 35n), (1n << 62n) + 12_345n];
  const distances = [
    0n,
    1n,
    -1n,
    4_294_967_295n,
    4_294_967_296n,
    -4_294_967_297n,
    1n << 52n,
    1n << 53n,
    1n << 60n,
  ];

  for (const frequency of frequencies) {
    it(`is that of the big integer, with ${frequency} ticks per second`, () => {
      for (const start of starts) {
        const clock = clockOf(start, frequency);
        for (const distance of distances) {
          const ticks = BigInt.asIntN(64, start + distance);
          expect(clock.nsSinceStart(halvesOf(ticks))).toBe(Number(clock.sinceStart(ticks)));
        }
      }
    });
  }
});
