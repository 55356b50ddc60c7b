/** How the value of a counter is put into words, and what shows it. */

import { printable } from '../base/printable.ts';
import type { Nanoseconds } from '../trace/trace-event.ts';
import type { CounterValue } from './counter-values.ts';

export interface CounterView {
  show(value: CounterValue, time: Nanoseconds): void;
  /** The provider's EventCounters are not shown any more. */
  forget(provider: string): void;
  /** What keeps counters from being shown, as a sentence. */
  tell(problem: string): void;
  /** What has been shown may be seen from here on. */
  flush(): Promise<void>;
  /** No more values come. */
  end(): Promise<void>;
}

const NUMBERS = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export function numberText(value: number): string {
  return NUMBERS.format(value);
}

/** `Allocation Rate (B / 1 s) [key=value]`. */
export function counterLabel({ displayName, unit, isRate, interval, tags }: CounterValue): string {
  const measure = isRate ? `${unit} / ${interval} s`.trimStart() : unit;
  const label = `${displayName}${measure === '' ? '' : ` (${measure})`}${tags === '' ? '' : ` [${tags}]`}`;
  return printable(label);
}
