/** A callback that observes values, of one instrument or of several. */
import type { Attributes, Observable } from '@opentelemetry/api';
import { thrownTextWithStack } from '../../base/shown.ts';
import type { Measurement } from '../../counters/instrument.ts';
import { tagsOf } from './attributes.ts';

export type Observe = (instrument: Observable, value: number, attributes?: Attributes) => void;

export class Observing {
  readonly #callback: (observe: Observe) => void | Promise<void>;
  #measured: ReadonlyMap<Observable, readonly Measurement[]> = new Map();
  #isFresh = false;
  #isPending = false;

  constructor(callback: (observe: Observe) => void | Promise<void>) {
    this.#callback = callback;
  }

  /**
   * The instrument's values now. Of a callback that takes its time, those that it observed the last time: whoever
   * collects does not wait.
   */
  of(instrument: Observable): readonly Measurement[] {
    if (!this.#isFresh) this.#call();
    return this.#measured.get(instrument) ?? [];
  }

  #call(): void {
    // The instruments of one collection are asked one after the other, in one go.
    this.#isFresh = true;
    queueMicrotask(() => {
      this.#isFresh = false;
    });
    if (this.#isPending) return;
    const measured = new Map<Observable, Measurement[]>();
    const before = this.#measured;
    this.#measured = measured;
    const done = this.#callback((instrument, value, attributes) => {
      const values = measured.get(instrument) ?? [];
      values.push({ value, tags: tagsOf(attributes) });
      measured.set(instrument, values);
    });
    if (!(done instanceof Promise)) return;
    this.#measured = before;
    this.#isPending = true;
    done
      .then(() => {
        this.#measured = measured;
      })
      .catch(warn)
      .finally(() => {
        this.#isPending = false;
      });
  }
}

function warn(error: unknown): void {
  process.emitWarning(
    `A callback of an observable instrument threw: ${thrownTextWithStack(error)}`,
    'TracewrightWarning',
  );
}
