/** How counter values are formatted, and what shows them. */

import { printable } from '../../base/printable.ts';
import type { Nanoseconds } from '../../trace/trace-event.ts';
import type { CounterValue } from '../../view/counter-values.ts';

export interface CounterView {
  show(value: CounterValue, time: Nanoseconds): void;
  /** Stops showing the provider's EventCounters. */
  forget(provider: string): void;
  /** Why counters cannot be shown, as a sentence. */
  tell(problem: string): void;
  /** Values added so far may now be displayed. */
  flush(): Promise<void>;
  /** No more values will follow. */
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
