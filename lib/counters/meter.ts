/** Meters: instruments whose values are reported per set of tags, like .NET's System.Diagnostics.Metrics. */

import { checkOptionNames } from '../source/definition-checks.ts';
import { DefinitionError } from '../source/definition-error.ts';
import { defineEventSource } from '../source/event-source.ts';
import { Collections } from './collections.ts';
import type { Demand } from './demand.ts';
import {
  definedTags,
  Instrument,
  type InstrumentOptions,
  type InstrumentType,
  type Measurement,
  type Tags,
} from './instrument.ts';
import { MeterCollection } from './meter-collection.ts';
import { METRICS_PROVIDER } from './meter-events.ts';

const meters = new Set<Meter>();
let collections: Collections<MeterCollection> | undefined;

/** Defines the event source with the first meter. */
function meterCollections(): Collections<MeterCollection> {
  if (collections === undefined) {
    const source = defineEventSource(METRICS_PROVIDER, {});
    collections = new Collections(source, (subscriber, args, request) =>
      args.Metrics === undefined ? undefined : new MeterCollection(source, subscriber, args, request, meters),
    );
  }
  return collections;
}

type Observed = () => number | readonly Measurement[];

/** Can only increase. Costs about as much as a function call while nothing listens. */
export interface Counter {
  /** Whether anyone is listening. */
  readonly enabled: boolean;
  add(value: number, tags?: Tags): void;
}

/** Can increase and decrease; `add` also takes negative values. Costs as much as a counter. */
export interface UpDownCounter {
  /** Whether anyone is listening. */
  readonly enabled: boolean;
  add(value: number, tags?: Tags): void;
}

/** Reported as quantiles. Costs about as much as a function call while nothing listens. */
export interface Histogram {
  /** Whether anyone is listening. */
  readonly enabled: boolean;
  record(value: number, tags?: Tags): void;
}

/** Reported as its last value. Costs as much as a histogram. */
export interface Gauge {
  /** Whether anyone is listening. */
  readonly enabled: boolean;
  record(value: number, tags?: Tags): void;
}

/**
 * The application's view of an instrument. Classes, because V8 makes calls of functions in object literals more
 * expensive.
 */
class Handle {
  protected readonly instrument: Instrument;

  constructor(instrument: Instrument) {
    this.instrument = instrument;
  }

  get enabled(): boolean {
    return this.instrument.enabled;
  }
}

class Adding extends Handle implements Counter, UpDownCounter {
  // Not methods: applications may detach them from the instrument.
  readonly add = (value: number, tags?: Tags): void => this.instrument.add(value, tags);
}

class Recording extends Handle implements Histogram, Gauge {
  readonly record = (value: number, tags?: Tags): void => this.instrument.record(value, tags);
}

export interface MeterOptions {
  readonly version?: string;
  /** The tags of the meter itself: sent with the description of each of its instruments, not with values. */
  readonly tags?: Tags;
}

export class Meter {
  readonly name: string;
  readonly version: string;
  /** See `tagsText`. @internal */
  readonly tags: string;
  readonly #instruments: Instrument[] = [];
  readonly #demands: Demand[] = [];

  /** @throws DefinitionError */
  constructor(name: string, options: MeterOptions = {}) {
    this.name = nonEmpty('Meter', name);
    checkOptionNames(name, options, ['version', 'tags']);
    const { version = '', tags } = options;
    this.version = String(version);
    this.tags = definedTags(name, tags);
    meterCollections();
    meters.add(this);
  }

  /** @internal */
  get instruments(): readonly Instrument[] {
    return this.#instruments;
  }

  /** @internal */
  get demands(): readonly Demand[] {
    return this.#demands;
  }

  /** Observes something while the meter is being collected. @internal */
  accompany(demand: Demand): void {
    this.#demands.push(demand);
    if (meters.has(this)) for (const collection of meterCollections().all) collection.accompany(this, demand);
  }

  /** Creates an instrument that can only increase. */
  createCounter(name: string, options?: InstrumentOptions): Counter {
    return this.#adding('Counter', name, options);
  }

  /** Creates an instrument that can increase and decrease. */
  createUpDownCounter(name: string, options?: InstrumentOptions): UpDownCounter {
    return this.#adding('UpDownCounter', name, options);
  }

  /** Creates an instrument that is reported as quantiles, each accurate to half a percent. */
  createHistogram(name: string, options?: InstrumentOptions): Histogram {
    return this.#recording('Histogram', name, options);
  }

  /** Creates an instrument that is reported as its last value. */
  createGauge(name: string, options?: InstrumentOptions): Gauge {
    return this.#recording('Gauge', name, options);
  }

  /** @param observe the total, called once per subscriber and interval */
  createObservableCounter(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableCounter', name, options, observe);
  }

  createObservableUpDownCounter(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableUpDownCounter', name, options, observe);
  }

  createObservableGauge(name: string, observe: Observed, options?: InstrumentOptions): void {
    this.#create('ObservableGauge', name, options, observe);
  }

  /** Removes the meter: no one receives its instruments any more. .NET: Dispose. */
  close(): void {
    if (!meters.delete(this)) return;
    for (const collection of meterCollections().all) collection.remove(this);
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #adding(type: InstrumentType, name: string, options?: InstrumentOptions): Counter {
    return new Adding(this.#create(type, name, options));
  }

  #recording(type: InstrumentType, name: string, options?: InstrumentOptions): Histogram {
    return new Recording(this.#create(type, name, options));
  }

  #create(
    type: InstrumentType,
    name: string,
    options: InstrumentOptions = {},
    observe?: Observed,
  ): Instrument {
    const instrument = new Instrument(
      type,
      this.name,
      nonEmpty(this.name, name),
      options,
      observe && (() => measurements(observe())),
    );
    this.#instruments.push(instrument);
    if (meters.has(this)) for (const collection of meterCollections().all) collection.add(this, instrument);
    return instrument;
  }
}

function measurements(observed: number | readonly Measurement[]): readonly Measurement[] {
  return typeof observed === 'number' ? [{ value: observed }] : observed;
}

function nonEmpty(place: string, name: string): string {
  if (typeof name === 'string' && name !== '') return name;
  throw new DefinitionError(place, `a name must be a non-empty string, not ${String(name)}.`);
}
