/** An observable instrument of OpenTelemetry's API: its values come from callbacks. */
import type { Attributes, Observable, ObservableCallback } from '@opentelemetry/api';
import type { Measurement } from '../../counters/instrument.ts';
import { Observing } from './observing.ts';

export class ObservableInstrument implements Observable {
  readonly #own = new Map<ObservableCallback<never>, Observing>();
  readonly #all = new Set<Observing>();

  addCallback(callback: ObservableCallback<Attributes>): void {
    if (this.#own.has(callback)) return;
    const observing = new Observing((observe) =>
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

  /** One that is of several instruments, too. */
  add(observing: Observing): void {
    this.#all.add(observing);
  }

  remove(observing: Observing): void {
    this.#all.delete(observing);
  }

  measurements(): readonly Measurement[] {
    return [...this.#all].flatMap((observing) => observing.of(this));
  }
}
