/** An observable instrument of OpenTelemetry's API, whose values come from callbacks. */
import type { Attributes, Observable, ObservableCallback } from '@opentelemetry/api';
import { thrownTextWithStack } from '../../base/value-text.ts';
import type { Measurement } from '../../counters/instrument.ts';
import { tagsOf } from './attributes.ts';

/** A callback that observes values of one instrument or several. */
type Observe = (instrument: Observable, value: number, attributes?: Attributes) => void;

export class ObservingCallback {
  readonly #callback: (observe: Observe) => void | Promise<void>;
  #measured: ReadonlyMap<Observable, readonly Measurement[]> = new Map();
  #isFresh = false;
  #isPending = false;

  constructor(callback: (observe: Observe) => void | Promise<void>) {
    this.#callback = callback;
  }

  /**
   * The instrument's current values. For an asynchronous callback, those it observed last time: a collection does not
   * wait.
   */
  of(instrument: Observable): readonly Measurement[] {
    if (!this.#isFresh) this.#call();
    return this.#measured.get(instrument) ?? [];
  }

  #call(): void {
    // The instruments of one collection are read in one go.
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

export class ObservableInstrument implements Observable {
  readonly #own = new Map<ObservableCallback<never>, ObservingCallback>();
  readonly #all = new Set<ObservingCallback>();

  addCallback(callback: ObservableCallback<Attributes>): void {
    if (this.#own.has(callback)) return;
    const observing = new ObservingCallback((observe) =>
      callback({ observe: (value, attributes) => observe(this, value, attributes) }),
    );
    this.#own.set(callback, observing);
    this.add(observing);
  }

  removeCallback(callback: ObservableCallback<Attributes>): void {
    const observing = this.#own.get(callback);
    if (observing === undefined) return;
    this.#own.delete(callback);
    this.remove(observing);
  }

  /** Adds the callback, which may serve several instruments. */
  add(observing: ObservingCallback): void {
    this.#all.add(observing);
  }

  remove(observing: ObservingCallback): void {
    this.#all.delete(observing);
  }

  measurements(): readonly Measurement[] {
    return [...this.#all].flatMap((observing) => observing.of(this));
  }
}
