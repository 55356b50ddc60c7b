/** Aligning the clock of one trace with that of another by the requests between them, where the truth is known. */
import { describe, expect, it } from 'vitest';
import { ClockFit, type JoinedRequest } from '../../../lib/view/merge/clock-fit.ts';
import { aheadAt } from '../../../lib/view/merge/clock-region.ts';

const MS = 1e6;
const S = 1e9;

/** Numbers from 0 to 1, the same ones each time: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface World {
  readonly offsetNs: number;
  readonly driftNsPerS: number;
  readonly requests?: number;
  readonly seconds?: number;
  /** Of a message, at least. */
  readonly latencyNs?: number;
  /** Of one stop in ten, at most. */
  readonly lateNs?: number;
}

/** Requests in both directions, or in one only, of which the clock under test sees its own side. */
function* requests(random: () => number, known: 'client' | 'server', world: World): Generator<JoinedRequest> {
  const { offsetNs, driftNsPerS, requests = 500, seconds = 5, latencyNs = 0.1 * MS, lateNs = 0 } = world;
  // What the clock shows at a true time: it is ahead by offset + drift * (what it shows).
  const shown = (trueNs: number) => Math.round((trueNs + offsetNs) / (1 - driftNsPerS / S));
  const latency = () => latencyNs * (1 + 5 * random() ** 3);
  for (let i = 0; i < requests; i++) {
    const startNs = random() * seconds * S;
    const served = startNs + latency();
    const worked = served + (0.2 + 20 * random() ** 4) * MS;
    const stopNs = Math.round(worked + latency());
    const late = random() < 0.1 ? random() * lateNs : 0.05 * MS * random();
    const client = { startNs: Math.round(startNs), stopNs };
    const server = { startNs: Math.round(served), stopNs: Math.round(worked + late) };
    const there = ({ startNs: from, stopNs: to }: typeof client) => ({
      startNs: shown(from),
      stopNs: shown(to),
    });
    yield known === 'client' ? { client, server: there(server) } : { client: there(client), server };
  }
}

function estimateOf(seed: number, world: World, directions: readonly ('client' | 'server')[]) {
  const random = randomOf(seed);
  const fit = new ClockFit();
  for (const known of directions) {
    for (const request of requests(random, known, world)) fit.add(request, known);
  }
  const [from, to] = [world.offsetNs, world.offsetNs + (world.seconds ?? 5) * S];
  const estimate = fit.estimate(from, to);
  if (estimate === undefined) throw new Error(`seed ${seed}: no estimate`);
  const wrong = [from, to].map((timeNs) => Math.abs(aheadAt(estimate.line, timeNs) - aheadAt(world, timeNs)));
  return { ...estimate, wrongNs: Math.max(...wrong) };
}

/** Offsets up to 10 s and drifts up to 50 ppm, either way. */
const WORLDS = Array.from({ length: 30 }, (_, seed) => {
  const random = randomOf(seed + 1000);
  const signed = () => (random() - 0.5) * 2;
  return { seed, offsetNs: signed() * 10 * S, driftNsPerS: signed() * 50_000 };
});

describe.each([
  ['serves', ['client']],
  ['asks', ['server']],
  ['serves and asks', ['client', 'server']],
] as const)('the clock of a process that %s', (_, directions) => {
  it('is estimated within 1 ms and within the error, for offsets up to 10 s and drifts up to 50 ppm', () => {
    for (const { seed, ...world } of WORLDS) {
      const { wrongNs, errorNs, line, driftErrorNsPerS } = estimateOf(seed, world, directions);
      expect(wrongNs, `seed ${seed}`).toBeLessThan(MS);
      expect(wrongNs, `seed ${seed}`).toBeLessThanOrEqual(errorNs);
      expect(Math.abs(line.driftNsPerS - world.driftNsPerS)).toBeLessThanOrEqual(driftErrorNsPerS);
    }
  });

  it('is estimated within the error if stops are written late', () => {
    for (const { seed, ...world } of WORLDS) {
      const { wrongNs, errorNs } = estimateOf(seed, { ...world, lateNs: 30 * MS }, directions);
      expect(wrongNs, `seed ${seed}`).toBeLessThan(MS);
      expect(wrongNs, `seed ${seed}`).toBeLessThanOrEqual(errorNs);
    }
  });

  it('is estimated within the error over a slow network', () => {
    for (const { seed, ...world } of WORLDS) {
      const { wrongNs, errorNs } = estimateOf(seed, { ...world, latencyNs: 40 * MS }, directions);
      expect(wrongNs, `seed ${seed}`).toBeLessThanOrEqual(errorNs);
    }
  });

  it('is estimated within the error from a single request', () => {
    for (const { seed, ...world } of WORLDS) {
      const { wrongNs, errorNs } = estimateOf(seed, { ...world, requests: 1 }, directions);
      expect(wrongNs, `seed ${seed}`).toBeLessThanOrEqual(errorNs);
    }
  });
});

describe('the clock', () => {
  it('has a more precise drift the longer the trace is', () => {
    const world = { offsetNs: 3 * S, driftNsPerS: 50_000 };
    const short = estimateOf(1, { ...world, seconds: 5 }, ['client']);
    const long = estimateOf(1, { ...world, seconds: 3600 }, ['client']);
    expect(long.driftErrorNsPerS).toBeLessThan(short.driftErrorNsPerS / 100);
    expect(long.driftErrorNsPerS).toBeLessThan(1000);
    expect(long.line.driftNsPerS).toBeCloseTo(50_000, -3);
  });

  it('is unchanged if it can be correct', () => {
    const { line, errorNs } = estimateOf(2, { offsetNs: 0, driftNsPerS: 0 }, ['client', 'server']);
    expect(line).toEqual({ offsetNs: 0, driftNsPerS: 0 });
    expect(errorNs).toBeGreaterThan(0);
  });

  it('is estimated even if it shows another year', () => {
    const { wrongNs, errorNs } = estimateOf(3, { offsetNs: -50 * 365 * 86_400 * S, driftNsPerS: 0 }, [
      'client',
    ]);
    // As many digits as numbers have for years.
    expect(wrongNs).toBeLessThan(MS);
    expect(wrongNs).toBeLessThanOrEqual(errorNs);
  });

  it('is unknown without requests', () => {
    expect(new ClockFit().estimate(0, S)).toBeUndefined();
  });

  it('is unknown if requests contradict each other', () => {
    const fit = new ClockFit();
    const early = { startNs: 0, stopNs: MS };
    fit.add({ client: early, server: { startNs: 5 * S, stopNs: 5 * S } }, 'client');
    fit.add({ client: { startNs: 9 * S, stopNs: 9 * S }, server: early }, 'server');
    expect(fit.estimate(0, 10 * S)).toBeUndefined();
  });

  it('is as recorded if jobs start long after they were sent, each after another time', () => {
    const fit = new ClockFit();
    for (const delay of [0.01, 5, 9]) {
      const server = { startNs: delay * S, stopNs: delay * S };
      fit.add({ client: { startNs: 0, stopNs: MS }, server }, 'client');
    }
    expect(fit.estimate(0, 10 * S)?.line).toEqual({ offsetNs: 0, driftNsPerS: 0 });
  });

  it('is not estimated from the stops of clients that do not wait', () => {
    const fit = new ClockFit();
    // Messages to a queue, from which they are taken seconds later.
    for (let i = 0; i < 50; i++) {
      const sentNs = i * S;
      const takenNs = sentNs + 3 * S;
      fit.add(
        {
          client: { startNs: sentNs, stopNs: sentNs + 0.1 * MS },
          server: { startNs: takenNs, stopNs: takenNs + MS },
        },
        'client',
      );
    }
    expect(fit.estimate(0, 60 * S)?.line).toEqual({ offsetNs: 0, driftNsPerS: 0 });
  });

  it('inherits the error of the clock that it is compared with', () => {
    const [exact, rough] = [0, 2 * MS].map((slackNs) => {
      const fit = new ClockFit();
      for (const request of requests(randomOf(7), 'client', { offsetNs: S, driftNsPerS: 0 }))
        fit.add(request, 'client', slackNs);
      return fit.estimate(S, 6 * S)?.errorNs ?? 0;
    });
    expect(rough).toBeGreaterThan((exact ?? 0) + MS);
  });

  it('takes only bounded time with bounds designed to cost more', () => {
    const fit = new ClockFit();
    for (let i = 0; i < 5000; i++) {
      // Each touches the region: a parabola.
      const server = { startNs: i * MS, stopNs: undefined };
      fit.add({ client: { startNs: i * MS - (i - 2500) ** 2, stopNs: undefined }, server }, 'client');
    }
    expect(fit.estimate(0, 5 * S)).toBeDefined();
  });
});
