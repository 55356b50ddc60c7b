/** A meter of OpenTelemetry's API that passes everything on to a meter of this package. */
import type {
  Attributes,
  BatchObservableCallback,
  Counter,
  Gauge,
  Histogram,
  MetricOptions,
  Observable,
  Meter as OpenTelemetryApiMeter,
  UpDownCounter,
} from '@opentelemetry/api';
import type { InstrumentOptions } from '../../counters/instrument.ts';
import * as counters from '../../counters/meter.ts';
import { tagsOf } from './attributes.ts';
import { ObservableInstrument, ObservingCallback } from './observable.ts';

/** The API must never throw, even for an invalid name. */
const UNNAMED = 'unnamed';

export class OpenTelemetryMeter implements OpenTelemetryApiMeter {
  readonly #meter: counters.Meter;
  /** The key is made of kind and name: requesting an instrument again returns the same one. */
  readonly #instruments = new Map<string, unknown>();
  /** Weak, because callbacks are added and removed. */
  readonly #batches = new WeakMap<BatchObservableCallback<never>, ObservingCallback>();

  constructor(name: string, version = '') {
    this.#meter = new counters.Meter(name || UNNAMED, { version });
  }

  createCounter<A extends Attributes = Attributes>(name: string, options?: MetricOptions): Counter<A> {
    return this.#once('Counter', name, options, (...given) => growing(this.#meter.createCounter(...given)));
  }

  createUpDownCounter<A extends Attributes = Attributes>(
    name: string,
    options?: MetricOptions,
  ): UpDownCounter<A> {
    return this.#once('UpDownCounter', name, options, (...given) =>
      adding(this.#meter.createUpDownCounter(...given)),
    );
  }

  createHistogram<A extends Attributes = Attributes>(name: string, options?: MetricOptions): Histogram<A> {
    return this.#once('Histogram', name, options, (...given) =>
      recording(this.#meter.createHistogram(...given)),
    );
  }

  createGauge<A extends Attributes = Attributes>(name: string, options?: MetricOptions): Gauge<A> {
    return this.#once('Gauge', name, options, (...given) => recording(this.#meter.createGauge(...given)));
  }

  createObservableCounter<A extends Attributes = Attributes>(
    name: string,
    options?: MetricOptions,
  ): Observable<A> {
    return this.#observable('createObservableCounter', name, options);
  }

  createObservableUpDownCounter<A extends Attributes = Attributes>(
    name: string,
    options?: MetricOptions,
  ): Observable<A> {
    return this.#observable('createObservableUpDownCounter', name, options);
  }

  createObservableGauge<A extends Attributes = Attributes>(
    name: string,
    options?: MetricOptions,
  ): Observable<A> {
    return this.#observable('createObservableGauge', name, options);
  }

  addBatchObservableCallback<A extends Attributes = Attributes>(
    callback: BatchObservableCallback<A>,
    observables: Observable<A>[],
  ): void {
    const observing =
      this.#batches.get(callback) ?? new ObservingCallback((observe) => callback({ observe }));
    this.#batches.set(callback, observing);
    for (const observable of observables) {
      if (observable instanceof ObservableInstrument) observable.add(observing);
    }
  }

  removeBatchObservableCallback<A extends Attributes = Attributes>(
    callback: BatchObservableCallback<A>,
    observables: Observable<A>[],
  ): void {
    const observing = this.#batches.get(callback);
    if (observing === undefined) return;
    for (const observable of observables) {
      if (observable instanceof ObservableInstrument) observable.remove(observing);
    }
  }

  #observable(
    create: 'createObservableCounter' | 'createObservableUpDownCounter' | 'createObservableGauge',
    name: string,
    options?: MetricOptions,
  ): ObservableInstrument {
    return this.#once(create, name, options, (given, described) => {
      const observable = new ObservableInstrument();
      this.#meter[create](given, () => observable.measurements(), described);
      return observable;
    });
  }

  #once<Kind>(
    kind: string,
    name: string,
    { unit = '', description = '' }: MetricOptions = {},
    create: (name: string, options: InstrumentOptions) => Kind,
  ): Kind {
    const key = `${kind} ${name}`;
    const known = this.#instruments.get(key) as Kind | undefined;
    if (known !== undefined) return known;
    const instrument = create(name || UNNAMED, { unit, description });
    this.#instruments.set(key, instrument);
    return instrument;
  }
}

// Attributes become tags only while something collects them.

function adding(instrument: counters.UpDownCounter): UpDownCounter {
  return {
    add: (value, attributes) => {
      if (instrument.enabled) instrument.add(value, tagsOf(attributes));
    },
  };
}

/** Negative values are ignored where values can only increase. */
function growing(instrument: counters.UpDownCounter): Counter {
  const { add } = adding(instrument);
  return {
    add: (value, attributes) => {
      if (value >= 0) add(value, attributes);
    },
  };
}

function recording(instrument: counters.Histogram): Histogram & Gauge {
  return {
    record: (value, attributes) => {
      if (instrument.enabled) instrument.record(value, tagsOf(attributes));
    },
  };
}
