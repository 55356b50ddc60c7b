/** Two traces of programs whose truth is known: what differs is found and named, and chance is not. */
import { describe, expect, it } from 'vitest';
import { differenceSentences } from '../../../lib/view/compare/comparison-text.ts';
import { compareTraces, type TraceComparison } from '../../../lib/view/compare/trace-comparison.ts';
import { leftToAll } from '../../at-length.ts';
import { generated, type Program } from './generated-trace.ts';

const SEEDS = Array.from({ length: leftToAll === undefined ? 20 : 8 }, (_, index) => index + 1);

function compared(seed: number, before: Program, after: Program): TraceComparison {
  return compareTraces(generated(2 * seed, before), generated(2 * seed + 1, after));
}

function sentences({ different }: TraceComparison): string[] {
  return different.flatMap(differenceSentences);
}

/** In how many of the seeds. */
function shareOf(isTrue: (seed: number) => boolean): number {
  return SEEDS.filter(isTrue).length / SEEDS.length;
}

describe('a comparison of two traces', () => {
  it('finds nothing where nothing differs', () => {
    for (const program of [{ requests: 60 }, { requests: 600, rare: 0.02, failed: 0.05 }]) {
      const silent = shareOf((seed) => compared(seed, program, program).different.length === 0);
      expect(silent).toBeGreaterThanOrEqual(0.95);
    }
  });

  it.each([
    ['query', { query: 10 }, { query: 13 }, 'SELECT a FROM b'],
    ['code', { code: 4 }, { code: 5.2 }, 'its own code'],
    ['timer', { timer: 6 }, { timer: 7.8 }, 'timers of its own'],
  ])('finds the state that takes 30 %% longer: %s', (_, before, after, name) => {
    let named = 0;
    for (const seed of SEEDS) {
      const found = compared(seed, { requests: 1200, ...before }, { requests: 1200, ...after });
      const [cart] = found.different.filter(({ label }) => label === 'GET /cart');
      const [cause] = cart?.causes ?? [];
      const [sentence = ''] = cart === undefined ? [] : differenceSentences(cart);
      if (cause?.isCertain && sentence.includes(`by ${name}`)) named++;
      expect(found.different.filter(({ label }) => /user|item/.test(label)).length).toBeLessThanOrEqual(1);
    }
    expect(named / SEEDS.length).toBeGreaterThan(0.9);
  });

  it('finds what became more frequent, if seldom', () => {
    const found = shareOf((seed) => {
      const all = sentences(compared(seed, { requests: 900, rare: 0.005 }, { requests: 900, rare: 0.04 }));
      return all.some((sentence) => /^cache became more frequent/.test(sentence));
    });
    expect(found).toBeGreaterThan(0.85);
  });

  it('finds queries that are repeated', () => {
    expect(sentences(compared(1, { requests: 300 }, { requests: 300, queries: 9 }))).toContain(
      'GET /cart calls SELECT a FROM b 9 times instead of 1 (p50).',
    );
  });

  it('finds what is new, gone, or fails more often', () => {
    expect(
      sentences(compared(1, { requests: 300, text: 'old' }, { requests: 300, text: 'new', failed: 0.4 })),
    ).toEqual(
      expect.arrayContaining([
        'new is new: 300 times.',
        'old is gone: it was there 300 times.',
        expect.stringMatching(
          /^GET \/cart fails more often: \d+ % instead of 0 % \(\d+ of 100, before 0 of 100\)\.$/,
        ),
      ]),
    );
  });

  it('takes ports that the system chooses for the same in all runs', () => {
    const of = (port: number) => ({ requests: 300, port });
    expect(compared(1, of(40_319), of(52_000)).onlyAfter).toEqual([]);
    expect(sentences(compared(1, of(40_319), of(52_000)))).toEqual([]);
    expect(sentences(compared(1, of(3306), of(6379)))).not.toEqual([]);
  });

  it('says what is only in one of them, but too rare to be sure', () => {
    const { different, onlyAfter } = compared(1, { requests: 300 }, { requests: 300, rare: 0.005 });
    expect(different).toEqual([]);
    expect(onlyAfter.map(({ label }) => label)).toEqual(['cache']);
  });
});
