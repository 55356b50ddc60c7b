// Loops that count. `count` gets a number that is another one each time.
import { setTimeout as sleep } from 'node:timers/promises';
import { byTurns } from './turns.mjs';

/** How often those who ask are told. */
export const TOLD_MS = 100;

/** What is counted between two turns of the event loop, so that the turns cost nothing beside it. */
const BATCH_SIZE = 10_000;

/** Forms of what a meter counts, ours or OpenTelemetry's: each makes an instrument, and returns what counts. */
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
 * With turns of the event loop, as it is timers that tell of what was counted.
 * @param {() => Promise<number>} told ends it: how often somebody was told
 */
export function askedLoop(count, told) {
  let value = 0;
  const loop = async (iterations) => {
    await byTurns(iterations, BATCH_SIZE, () => count(value++ & 1023));
    return iterations;
  };
  return Object.assign(loop, {
    finish: async () => {
      await sleep(2 * TOLD_MS); // short rounds may be over before anybody was told
      if ((await told()) === 0) throw new Error('Nobody was told of what was counted.');
    },
  });
}
