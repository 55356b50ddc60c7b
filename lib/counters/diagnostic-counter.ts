/**
 * What all counters have in common: their display texts, the group of their event source, and the payloads of their
 * events.
 */
import { shown, thrownTextWithStack } from '../base/value-text.ts';
import type { Listenable } from '../listen/written-event.ts';
import { type CounterGroup, counterGroup, type GroupedCounter } from './counter-group.ts';
import { type CounterOptions, type CounterTexts, counterTexts } from './counter-options.ts';
import type { MeanPayload, SumPayload } from './counter-payload.ts';
import type { Statistics } from './statistics.ts';

export abstract class DiagnosticCounter {
  readonly name: string;
  /** @internal */
  protected readonly texts: CounterTexts;
  readonly #group: CounterGroup;
  #counter: GroupedCounter | undefined;

  constructor(source: Listenable, name: string, options: CounterOptions, isRate: boolean) {
    this.#group = counterGroup(source);
    this.texts = counterTexts(source.name, name, options, isRate);
    this.name = name;
  }

  /**
   * Adds the counter for all present and future listeners.
   *
   * @internal
   * @param read starts counting for another subscriber
   */
  protected join(read: GroupedCounter['read']): void {
    this.#counter = { read };
    this.#group.add(this.#counter);
  }

  /** Removes the counter: no one receives it any more. .NET: Dispose. */
  close(): void {
    if (this.#counter !== undefined) this.#group.remove(this.#counter);
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** Wraps the function: exceptions and results that are not finite numbers are reported once, and count as no value. */
export function polled(place: string, poll: () => number): () => number | undefined {
  let hasFailed = false;
  const fail = (problem: string) => {
    if (!hasFailed) process.emitWarning(`The counter ${place} ${problem}`, 'TracewrightWarning');
    hasFailed = true;
    return undefined;
  };
  return () => {
    try {
      const value = poll();
      return Number.isFinite(value) ? value : fail(`returned ${shown(value)} instead of a number.`);
    } catch (error) {
      return fail(`threw: ${thrownTextWithStack(error)}`);
    }
  };
}

export function meanPayload(
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

export function sumPayload(
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
