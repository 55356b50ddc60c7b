/** The four counters of an event source, with .NET's names. */
import type { Listenable } from '../listen/written-event.ts';
import type { Reading } from './counter-group.ts';
import type { CounterOptions, IncrementingCounterOptions } from './counter-options.ts';
import { DiagnosticCounter, meanPayload, polled, sumPayload } from './diagnostic-counter.ts';
import { Statistics } from './statistics.ts';

/** The mean of values that the application writes, such as the duration of each request. */
export class EventCounter extends DiagnosticCounter {
  readonly #intervals = new Set<{ values: Statistics }>();

  /** @throws DefinitionError, TypeError if it is not an event source */
  constructor(source: Listenable, name: string, options: CounterOptions = {}) {
    super(source, name, options, false);
    this.join(() => this.#read());
  }

  /** Costs about as much as a function call while nothing listens. Values that are not finite numbers are ignored. */
  write(value: number): void {
    if (this.#intervals.size === 0 || !Number.isFinite(value)) return;
    for (const interval of this.#intervals) interval.values.add(value);
  }

  #read(): Reading {
    const interval = { values: new Statistics() };
    this.#intervals.add(interval);
    return {
      take: (intervalSec, series) => {
        const { fields } = interval.values;
        interval.values = new Statistics();
        return meanPayload(this.texts, fields, intervalSec, series);
      },
      end: () => this.#intervals.delete(interval),
    };
  }
}

/** The current value at the end of each interval, such as the length of a queue. */
export class PollingCounter extends DiagnosticCounter {
  readonly #poll: () => number | undefined;

  /**
   * @param value called once per subscriber and interval
   * @throws DefinitionError, TypeError if it is not an event source
   */
  constructor(source: Listenable, name: string, value: () => number, options: CounterOptions = {}) {
    super(source, name, options, false);
    this.#poll = polled(`${source.name}.${name}`, value);
    this.join(() => this.#read());
  }

  #read(): Reading {
    return {
      take: (intervalSec, series) => {
        const value = this.#poll();
        if (value === undefined) return undefined;
        const values = new Statistics();
        values.add(value);
        return meanPayload(this.texts, values.fields, intervalSec, series);
      },
      end: () => {},
    };
  }
}

/** The sum of increments in each interval, such as requests. */
export class IncrementingEventCounter extends DiagnosticCounter {
  readonly #intervals = new Set<{ sum: number }>();

  /** @throws DefinitionError, TypeError if it is not an event source */
  constructor(source: Listenable, name: string, options: IncrementingCounterOptions = {}) {
    super(source, name, options, true);
    this.join(() => this.#read());
  }

  /** Costs about as much as a function call while nothing listens. Values that are not finite numbers are ignored. */
  increment(by = 1): void {
    if (this.#intervals.size === 0 || !Number.isFinite(by)) return;
    for (const interval of this.#intervals) interval.sum += by;
  }

  #read(): Reading {
    const interval = { sum: 0 };
    this.#intervals.add(interval);
    return {
      take: (intervalSec, series) => {
        const { sum } = interval;
        interval.sum = 0;
        return sumPayload(this.texts, sum, intervalSec, series);
      },
      end: () => this.#intervals.delete(interval),
    };
  }
}

/** The increase of a total in each interval, such as the number of garbage collections. */
export class IncrementingPollingCounter extends DiagnosticCounter {
  readonly #poll: () => number | undefined;

  /**
   * @param total called for each subscriber when it starts, and once per interval
   * @throws DefinitionError, TypeError if it is not an event source
   */
  constructor(
    source: Listenable,
    name: string,
    total: () => number,
    options: IncrementingCounterOptions = {},
  ) {
    super(source, name, options, true);
    this.#poll = polled(`${source.name}.${name}`, total);
    this.join(() => this.#read());
  }

  #read(): Reading {
    let before = this.#poll();
    return {
      take: (intervalSec, series) => {
        const total = this.#poll();
        const increment = total === undefined || before === undefined ? undefined : total - before;
        before = total ?? before;
        return increment === undefined ? undefined : sumPayload(this.texts, increment, intervalSec, series);
      },
      end: () => {},
    };
  }
}
