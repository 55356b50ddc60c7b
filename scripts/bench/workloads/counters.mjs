// Counting values: our counters, and empty functions of the same shape.

import { startSession } from 'tracewright';
import { EventCounter, IncrementingEventCounter, Meter } from 'tracewright/counters';
import { defineBenchmarkSource } from '../source.mjs';
import { askedLoop, idleLoop, meterForms, TOLD_MS } from './count.mjs';

/** Each creates a counter, and returns the function that counts. */
const forms = {
  increment: () => {
    const counter = new IncrementingEventCounter(defineBenchmarkSource(), 'orders');
    return () => counter.increment();
  },
  mean: () => {
    const counter = new EventCounter(defineBenchmarkSource(), 'order-time');
    return (i) => counter.write(i);
  },
  ...meterForms(() => new Meter('Benchmark')),
};

const emptyForms = {
  plain: () => {
    const counter = { add: (_value, _labels) => {} };
    return () => counter.add(1);
  },
  labelled: () => {
    const counter = { add: (_value, _labels) => {} };
    return () => counter.add(1, { kind: 'book' });
  },
};

export const empty = (form) => idleLoop(emptyForms[form]());

export const idle = (form) => idleLoop(forms[form]());

/** A session requests all of them, ten times a second. */
export function asked(form) {
  const count = forms[form]();
  const session = startSession({
    providers:
      `Tracewright-Benchmark::4:EventCounterIntervalSec=${TOLD_MS / 1000},` +
      `System.Diagnostics.Metrics:2:4:Metrics=Benchmark;RefreshInterval=${TOLD_MS / 1000}`,
    output: '/dev/null',
  });
  return askedLoop(count, async () => {
    const { events, problem } = await session.close();
    if (problem !== undefined) throw new Error(problem);
    return events;
  });
}
