/** The share of each interval that something took: for CPU time, pauses and the like. */
import { performance } from 'node:perf_hooks';
import type { Listenable } from '../listen/written-event.ts';
import type { Reading } from './counter-group.ts';
import type { CounterOptions } from './counter-options.ts';
import { DiagnosticCounter, meanPayload, polled } from './diagnostic-counter.ts';
import { Statistics } from './statistics.ts';

/**
 * The percentage of the time by which a total of milliseconds has grown. A PollingCounter could not report it: the
 * growth since another subscriber's last reading is useless.
 */
export class ShareCounter extends DiagnosticCounter {
  readonly #poll: () => number | undefined;

  /** @param milliseconds the total, called for each subscriber when it starts, and once per interval */
  constructor(source: Listenable, name: string, milliseconds: () => number, options: CounterOptions) {
    super(source, name, options, false);
    this.#poll = polled(`${source.name}.${name}`, milliseconds);
    this.join(() => this.#read());
  }

  #read(): Reading {
    let before = this.#poll();
    let since = performance.now();
    return {
      take: (intervalSec, series) => {
        const total = this.#poll();
        if (total === undefined) return undefined;
        const now = performance.now();
        const share = before === undefined ? undefined : (100 * (total - before)) / (now - since);
        before = total;
        since = now;
        if (share === undefined) return undefined;
        const values = new Statistics();
        values.add(share);
        return meanPayload(this.texts, values.fields, intervalSec, series);
      },
      end: () => {},
    };
  }
}
