/** Differences beyond noise: against published values, and against samples whose truth is known. */
import { describe, expect, it } from 'vitest';
import {
  adjusted,
  compareFrequencies,
  compareQuantiles,
  compareShares,
} from '../../../lib/view/compare/noise.ts';
import { logNormal, uniform } from './generated-trace.ts';

function sample(count: number, draw: () => number): Float64Array {
  return Float64Array.from({ length: count }, draw);
}

const SEEDS = Array.from({ length: 400 }, (_, index) => index + 1);

describe('the probability of a difference', () => {
  it("is that of Fisher's exact test: the lady who tastes tea", () => {
    const sampleOf = (share: number) =>
      Float64Array.from({ length: 4 }, (_, index) => Number(index < share * 4));
    const share = (happened: number) => ({ happened, cases: 4, sample: sampleOf(happened / 4) });
    expect(compareShares(share(0), share(4))).toBeCloseTo(2 / 70, 10);
    expect(compareShares(share(2), share(2))).toBe(1);
    // 10 of 100 against 40 of 900, evenly spread: scipy.stats.hypergeom(1000, 50, 100).sf(9) is 0.02144.
    const spread = (happened: number, cases: number) => {
      const countTo = (index: number) => Math.floor((index * happened) / cases);
      const sample = Float64Array.from({ length: cases }, (_, i) => countTo(i + 1) - countTo(i));
      return { happened, cases, sample };
    };
    expect(compareShares(spread(40, 900), spread(10, 100))).toBeCloseTo(2 * 0.02144, 4);
  });

  it('of frequencies is that of a binomial count', () => {
    const often = (count: number) => ({
      count,
      of: 20,
      inBatches: Array.from({ length: 20 }, () => count / 20),
    });
    expect(compareFrequencies(often(0), often(10))).toBeCloseTo(2 ** -9, 10);
    expect(compareFrequencies(often(10), often(0))).toBeCloseTo(2 ** -9, 10);
  });

  it('is seldom small if there is no difference, of whatever distribution', () => {
    for (const share of [0.5, 0.95]) {
      for (const count of [8, 60, 1000]) {
        let small = 0;
        for (const seed of SEEDS) {
          const draw = uniform(seed);
          const [before, after] = [
            sample(count, () => logNormal(draw)),
            sample(2 * count, () => logNormal(draw)),
          ];
          if (compareQuantiles(before, after, share).p < 0.05) small++;
        }
        expect(small / SEEDS.length, `${share} of ${count}`).toBeLessThan(0.07);
      }
    }
  });

  it('is seldom small if neighbours are alike, which is no difference either', () => {
    let small = 0;
    for (const seed of SEEDS) {
      const draw = uniform(seed);
      const busy = () => {
        let load = logNormal(draw);
        return sample(1000, () => {
          if (draw() < 0.05) load = logNormal(draw);
          return load * (0.9 + 0.2 * draw());
        });
      };
      if (compareQuantiles(busy(), busy(), 0.5).p < 0.05) small++;
    }
    expect(small / SEEDS.length).toBeLessThan(0.1);
  });

  it('is small for a real difference, whose interval contains the truth', () => {
    let [found, contained] = [0, 0];
    for (const seed of SEEDS) {
      const draw = uniform(seed);
      const before = sample(300, () => logNormal(draw));
      const after = sample(300, () => 1.3 * logNormal(draw));
      const { p, low, high } = compareQuantiles(before, after, 0.5);
      if (p < 0.01) found++;
      if (low <= 0.3 && high >= 0.3) contained++;
    }
    expect(found / SEEDS.length).toBeGreaterThan(0.9);
    expect(contained / SEEDS.length).toBeGreaterThan(0.94);
  });

  it('grows with the number of comparisons', () => {
    expect(adjusted([0.01, 0.04, 0.03])).toEqual([0.03, 0.06, 0.06]);
    expect(adjusted([])).toEqual([]);
  });
});
