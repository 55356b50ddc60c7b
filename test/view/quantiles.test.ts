/** Quantiles from a histogram are as close to the exact ones as stated. */
import { expect, it } from 'vitest';
import { Quantiles } from '../../lib/view/quantiles.ts';

/** As a quantile's description states it. */
const QUANTILE_ERROR = 1 / 256;

const SHARES = [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

function exact(sorted: readonly number[], share: number): number {
  return sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] as number;
}

it('is within the stated error, over fifteen orders of magnitude', () => {
  for (const spread of [1, 4, 15]) {
    const durations = Array.from({ length: 20_001 }, (_, i) =>
      Math.floor(10 ** (((i * 7919) % 20_001) * (spread / 20_001))),
    );
    const quantiles = new Quantiles();
    for (const duration of durations) quantiles.add(duration);
    const sorted = [...durations].sort((a, b) => a - b);
    for (const share of SHARES) {
      const expected = exact(sorted, share);
      expect(Math.abs((quantiles.at(share) as number) - expected)).toBeLessThanOrEqual(
        expected * QUANTILE_ERROR,
      );
    }
  }
});

it('is exact for a few values, for the first and the last, and for small numbers', () => {
  const quantiles = new Quantiles();
  for (const duration of [1_000_003, 7, 255]) quantiles.add(duration);
  expect(SHARES.map((share) => quantiles.at(share))).toEqual([
    7, 7, 7, 255, 1_000_003, 1_000_003, 1_000_003, 1_000_003, 1_000_003,
  ]);
  expect([quantiles.min, quantiles.max, quantiles.count]).toEqual([7, 1_000_003, 3]);
});

it('is undefined without values', () => {
  expect(new Quantiles().at(0.5)).toBeUndefined();
});
