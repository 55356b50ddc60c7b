/** The instruments of a meter: what each aggregates per set of tags, for one subscriber at a time. */
import { threadId } from 'node:worker_threads';
import { shown, thrownTextWithStack } from '../base/value-text.ts';
import { checkOptionNames } from '../source/definition-checks.ts';
import { DefinitionError } from '../source/definition-error.ts';
import { HistogramBuckets } from './histogram-buckets.ts';

export type InstrumentType =
  | 'Counter'
  | 'UpDownCounter'
  | 'Histogram'
  | 'Gauge'
  | 'ObservableCounter'
  | 'ObservableUpDownCounter'
  | 'ObservableGauge';

export type Tags = Readonly<Record<string, string | number | boolean>>;

/** A value returned by an observable instrument's function, with tags. */
export interface Measurement {
  readonly value: number;
  readonly tags?: Tags;
}

export interface InstrumentOptions {
  readonly unit?: string;
  readonly description?: string;
  /** The tags of the instrument itself: sent once, with its description, not with each value. */
  readonly tags?: Tags;
}

/** One set of tags of one instrument, as one subscriber sees it. */
export interface Series {
  /** The difference since the start of the interval; undefined if an observed total has no previous value. */
  delta: number | undefined;
  /** A total counts since the subscriber started, or is as observed; a gauge has its last value. */
  value: number | undefined;
  readonly histogram: HistogramBuckets | undefined;
}

/** Aggregates measurements for one subscriber. */
export interface Recorder {
  /** Whether it has a series without tags, and so may receive the sum of several values. */
  readonly hasUntagged: boolean;
  /** @param tags see `tagsText` */
  record(value: number, tags: string): void;
}

/** Tools identify an instrument by a 32-bit number: each thread has a million. */
const FIRST_ID = 1 + (threadId % 0x7ff) * 2 ** 20;

export class Instrument {
  readonly type: InstrumentType;
  readonly name: string;
  readonly unit: string;
  readonly description: string;
  /** See `tagsText`. */
  readonly tags: string;
  /** Unique in the process, because one session may cover all its threads; 0 would mean unknown. */
  readonly id: number;
  readonly observe: (() => readonly Measurement[]) | undefined;
  /**
   * The array is empty while nothing collects. It is replaced, never modified: a subscriber may leave while a value is
   * being recorded.
   */
  #recorders: readonly Recorder[] = [];
  /** Whether values without tags may be summed up in `#sum` until `passOn`: then they only cost an addition. */
  #isSumming = false;
  #sum = 0;
  #hasFailed = false;
  static #count = 0;

  /**
   * @param place for messages: of its meter
   * @throws DefinitionError
   */
  constructor(
    type: InstrumentType,
    place: string,
    name: string,
    options: InstrumentOptions,
    observe?: () => readonly Measurement[],
  ) {
    checkOptionNames(`${place}.${name}`, options, ['unit', 'description', 'tags']);
    const { unit = '', description = '', tags } = options;
    this.type = type;
    this.name = name;
    this.tags = definedTags(`${place}.${name}`, tags);
    this.unit = String(unit);
    this.description = String(description);
    this.observe = observe;
    this.id = FIRST_ID + Instrument.#count++;
  }

  get enabled(): boolean {
    return this.#recorders.length > 0;
  }

  join(recorder: Recorder): void {
    this.passOn();
    this.#isSumming = false;
    this.#recorders = [...this.#recorders, recorder];
  }

  leave(recorder: Recorder): void {
    this.passOn();
    this.#recorders = this.#recorders.filter((other) => other !== recorder);
    if (this.#recorders.length === 0) this.#isSumming = false;
  }

  /** Like `record`, for instruments whose values are added up. */
  add(value: number, tags: Tags | undefined): void {
    if (this.#isSumming && tags === undefined) {
      if (Number.isFinite(value)) this.#sum += value;
    } else if (this.#recorders.length > 0) {
      this.record(value, tags);
      if (tags === undefined) this.#isSumming = this.#recorders.every(({ hasUntagged }) => hasUntagged);
    }
  }

  /** Passes what `add` has summed up to the recorders. */
  passOn(): void {
    const sum = this.#sum;
    this.#sum = 0;
    if (sum !== 0) for (const recorder of this.#recorders) recorder.record(sum, '');
  }

  /** This never throws: a subscriber must not affect the code that records a value. */
  record(value: number, tags: Tags | undefined): void {
    const recorders = this.#recorders;
    if (recorders.length === 0 || !Number.isFinite(value)) return;
    let text: string;
    try {
      text = tagsText(tags);
    } catch (error) {
      this.#fail(error);
      return;
    }
    for (const recorder of recorders) recorder.record(value, text);
  }

  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    process.emitWarning(
      `A value of the instrument ${this.name} was dropped because its tags cannot be read: ${thrownTextWithStack(error)}`,
      'TracewrightWarning',
    );
  }
}

export function newSeries(type: InstrumentType): Series {
  const isTotal = type === 'Counter' || type === 'UpDownCounter';
  return {
    delta: isTotal ? 0 : undefined,
    value: isTotal ? 0 : undefined,
    histogram: type === 'Histogram' ? new HistogramBuckets() : undefined,
  };
}

export function addTo(series: Series, type: InstrumentType, value: number): void {
  switch (type) {
    case 'Counter':
    case 'UpDownCounter':
      series.delta = (series.delta ?? 0) + value;
      series.value = (series.value ?? 0) + value;
      return;
    case 'ObservableCounter':
    case 'ObservableUpDownCounter':
      series.delta = series.value === undefined ? undefined : value - series.value;
      series.value = value;
      return;
    case 'Histogram':
      series.histogram?.add(value);
      return;
    default:
      series.value = value;
  }
}

/** Starts the next interval. */
export function beginInterval(series: Series, type: InstrumentType): void {
  if (type === 'Counter' || type === 'UpDownCounter') series.delta = 0;
  else if (type === 'ObservableGauge') series.value = undefined;
  else series.delta = undefined;
  series.histogram?.clear();
}

/**
 * The tags of a meter or an instrument, as from `tagsText`.
 *
 * @throws DefinitionError if they are invalid: they are part of a definition, where mistakes are reported immediately
 */
export function definedTags(place: string, tags: Tags | undefined): string {
  if (tags === undefined) return '';
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags)) {
    throw new DefinitionError(
      place,
      `tags must be an object of strings, numbers and booleans, not ${shown(tags)}.`,
    );
  }
  for (const [key, value] of Object.entries(tags)) {
    if (['string', 'number', 'boolean'].includes(typeof value)) continue;
    throw new DefinitionError(
      place,
      `the tag ${JSON.stringify(key)} must be a string, a number or a boolean, not ${shown(value)}.`,
    );
  }
  return tagsText(tags);
}

/** `key=value,key=value`, sorted, so that a set of tags has one text. Throws what reading the tags throws. */
export function tagsText(tags: Tags | null | undefined): string {
  if (tags === undefined || tags === null) return '';
  const texts = Object.keys(tags).map((key) => `${key}=${String(tags[key])}`);
  return texts.length === 1 ? (texts[0] as string) : texts.sort().join(',');
}
