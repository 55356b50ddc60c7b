/** The four counters of an event source, with .NET's names. */
import { shown, thrownTextWithStack } from '../session/shown.ts';
import type { Listenable } from '../session/subscriptions.ts';
import { type CounterGroup, counterGroup, type GroupedCounter, type Reading } from './counter-group.ts';
import {
  type CounterOptions,
  type CounterTexts,
  counterTexts,
  type IncrementingCounterOptions,
} from './counter-options.ts';
import type { MeanPayload, SumPayload } from './counter-payload.ts';
import { Statistics } from './statistics.ts';

abstract class Counter implements GroupedCounter {
  readonly name: string;
  protected readonly texts: CounterTexts;
  readonly #group: CounterGroup;

  constructor(source: Listenable, name: string, options: CounterOptions, isRate: boolean) {
    this.#group = counterGroup(source);
    this.texts = counterTexts(source.name, name, options, isRate);
    this.name = name;
  }

  /** When all of it is there: who listens already is told from here on. */
  protected join(): void {
    this.#group.add(this);
  }

  /** Nobody is told of it any more. .NET: Dispose. */
  close(): void {
    this.#group.remove(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  abstract read(): Reading;
}

/** The mean of values that the application writes, as of the time that each request takes. */
export class EventCounter extends Counter {
  readonly #intervals = new Set<{ values: Statistics }>();

  /** @throws DefinitionError, TypeError for what is no event source */
  constructor(source: Listenable, name: string, options: CounterOptions = {}) {
    super(source, name, options, false);
    this.join();
  }

  /** Costs about what a function call costs while nobody asks. What is no finite number is not counted. */
  write(value: number): void {
    if (this.#intervals.size === 0 || !Number.isFinite(value)) return;
    for (const interval of this.#intervals) interval.values.add(value);
  }

  /** @internal */
  read(): Reading {
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

/** A value as it is at the end of each interval, as of the length of a queue. */
export class PollingCounter extends Counter {
  readonly #poll: () => number | undefined;

  /**
   * @param value called once for each subscriber and interval
   * @throws DefinitionError, TypeError for what is no event source
   */
  constructor(source: Listenable, name: string, value: () => number, options: CounterOptions = {}) {
    super(source, name, options, false);
    this.#poll = polled(`${source.name}.${name}`, value);
    this.join();
  }

  /** @internal */
  read(): Reading {
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

/** How much has come in each interval, as of requests. */
export class IncrementingEventCounter extends Counter {
  readonly #intervals = new Set<{ sum: number }>();

  /** @throws DefinitionError, TypeError for what is no event source */
  constructor(source: Listenable, name: string, options: IncrementingCounterOptions = {}) {
    super(source, name, options, true);
    this.join();
  }

  /** Costs about what a function call costs while nobody asks. What is no finite number is not counted. */
  increment(by = 1): void {
    if (this.#intervals.size === 0 || !Number.isFinite(by)) return;
    for (const interval of this.#intervals) interval.sum += by;
  }

  /** @internal */
  read(): Reading {
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

/** How much a total has grown in each interval, as of garbage collections. */
export class IncrementingPollingCounter extends Counter {
  readonly #poll: () => number | undefined;

  /**
   * @param total called for each subscriber when it comes, and once for each interval
   * @throws DefinitionError, TypeError for what is no event source
   */
  constructor(
    source: Listenable,
    name: string,
    total: () => number,
    options: IncrementingCounterOptions = {},
  ) {
    super(source, name, options, true);
    this.#poll = polled(`${source.name}.${name}`, total);
    this.join();
  }

  /** @internal */
  read(): Reading {
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

/** The same, but what it throws, or returns and is no finite number, is told once, and is no value. */
function polled(place: string, poll: () => number): () => number | undefined {
  let hasFailed = false;
  const fail = (problem: string) => {
    if (!hasFailed) process.emitWarning(`The counter ${place} ${problem}`, 'TracewrightWarning');
    hasFailed = true;
    return undefined;
  };
  return () => {
    try {
      const value = poll();
      return Number.isFinite(value) ? value : fail(`has ${shown(value)} in place of a number.`);
    } catch (error) {
      return fail(`threw: ${thrownTextWithStack(error)}`);
    }
  };
}

function meanPayload(
  { name, displayName, metadata, displayUnits }: CounterTexts,
  fields: Statistics['fields'],
  IntervalSec: number,
  Series: string,
): MeanPayload {
  return {
    Name: name,
    DisplayName: displayName,
    ...fields,
    IntervalSec,
    Series,
    CounterType: 'Mean',
    Metadata: metadata,
    DisplayUnits: displayUnits,
  };
}

function sumPayload(
  { name, displayName, rateTimeScale, metadata, displayUnits }: CounterTexts,
  Increment: number,
  IntervalSec: number,
  Series: string,
): SumPayload {
  return {
    Name: name,
    DisplayName: displayName,
    DisplayRateTimeScale: rateTimeScale,
    Increment,
    IntervalSec,
    Metadata: metadata,
    Series,
    CounterType: 'Sum',
    DisplayUnits: displayUnits,
  };
}
