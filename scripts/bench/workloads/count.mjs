// Loops that count. `count` receives a different number each time.
import { setTimeout as sleep } from 'node:timers/promises';
import { byTurns } from './turns.mjs';

/** The interval at which listeners are notified. */
export const TOLD_MS = 100;

/** Counts between two turns of the event loop, so many that the turns do not matter. */
const BATCH_SIZE = 10_000;

/**
 * Variants of what a meter counts, ours or OpenTelemetry's: each creates an instrument, and returns the function that
 * counts.
 */
export const meterForms = (meter) => ({
  plain: () => {
    const counter = meter().createCounter('orders');
    return () => counter.add(1);
  },
  labelled: () => {
    const counter = meter().createCounter('orders');
    return () => counter.add(1, { kind: 'book' });
  },
  histogram: () => {
    const histogram = meter().createHistogram('duration');
    return (i) => histogram.record(i);
  },
});

export const idleLoop = (count) => (iterations) => {
  for (let i = 0; i < iterations; i++) count(i);
  return iterations;
};

/**
 * With turns of the event loop, since timers report the counts.
 * @param {() => Promise<number>} told ends it; returns the number of reports
 */
export function askedLoop(count, told) {
  let value = 0;
  const loop = async (iterations) => {
    await byTurns(iterations, BATCH_SIZE, () => count(value++ & 1023));
    return iterations;
  };
  return Object.assign(loop, {
    finish: async () => {
      await sleep(2 * TOLD_MS); // short rounds may be over before the first report
      if ((await told()) === 0) throw new Error('Nobody was told of what was counted.');
    },
  });
}
