/** Counter values for later reading: one line, or one JSON object, per value. */
import { timeText } from '../../trace/time-text.ts';
import type { Nanoseconds } from '../../trace/trace-event.ts';
import type { CounterValue } from '../../view/counter-values.ts';
import { warn } from '../messages.ts';
import { Output } from '../output.ts';
import { type CounterView, counterLabel, numberText } from './counter-view.ts';

export class CounterLines implements CounterView {
  readonly #isJson: boolean;
  readonly #output = new Output();

  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  show(value: CounterValue, time: Nanoseconds): void {
    if (value.value === undefined) return;
    if (this.#isJson) this.#output.json(asJson(value, time));
    else this.#output.line(asText(value, time));
  }

  forget(): void {
    // Lines are not updated.
  }

  tell(problem: string): void {
    warn(problem);
  }

  flush(): Promise<void> {
    return this.#output.flush();
  }

  end(): Promise<void> {
    return this.#output.flush();
  }
}

function asText(value: CounterValue, time: Nanoseconds): string {
  return `${timeText(time)}  ${value.provider}  ${counterLabel(value)}  ${numberText(value.value ?? 0)}`;
}

function asJson(counter: CounterValue, time: Nanoseconds): object {
  const { provider, name, displayName, unit, tags, isRate, interval, value } = counter;
  const type = isRate ? 'rate' : 'value';
  return {
    timestamp: String(time),
    provider,
    name,
    displayName,
    unit,
    tags,
    type,
    interval,
    value,
  };
}
