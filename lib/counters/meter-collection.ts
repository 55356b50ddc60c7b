/** What one subscriber receives from the meters that it requests. */
import { thrownText } from '../base/value-text.ts';
import { deliverTo, type Subscriber } from '../listen/audience.ts';
import { passes } from '../listen/filter.ts';
import type { Request } from '../listen/subscriptions.ts';
import { timestamp } from '../listen/timestamp.ts';
import type { Listenable } from '../listen/written-event.ts';
import type { Payload } from '../wire/values/faults.ts';
import { type Arguments, type Collection, MAX_MILLISECONDS } from './collections.ts';
import type { Demand } from './demand.ts';
import {
  addTo,
  beginInterval,
  type Instrument,
  type InstrumentType,
  newSeries,
  type Recorder,
  type Series,
  tagsText,
} from './instrument.ts';
import { METER_EVENTS } from './meter-events.ts';

const DEFAULT_MILLISECONDS = 1000;
const MIN_MILLISECONDS = 100;
const DEFAULT_TIME_SERIES = 1000;
const DEFAULT_HISTOGRAMS = 20;
const QUANTILES = [0.5, 0.95, 0.99];

/** What a collection needs from a meter. */
interface CollectedMeter {
  readonly name: string;
  readonly version: string;
  /** See `tagsText`. */
  readonly tags: string;
  readonly instruments: readonly Instrument[];
  readonly demands: readonly Demand[];
}

export class MeterCollection implements Collection {
  readonly milliseconds: number;
  readonly #source: Listenable;
  readonly #subscriber: Subscriber;
  readonly #request: Request;
  readonly #meters: Iterable<CollectedMeter>;
  readonly #sessionId: string;
  readonly #asked: readonly string[];
  readonly #instruments = new Map<Instrument, InstrumentSeries>();
  /** Ends the observation for a meter. */
  readonly #ends = new Map<CollectedMeter, (() => void)[]>();
  #roomForSeries: number;
  #roomForHistograms: number;
  readonly #told = new Set<string>();
  /** Receiving events may make the subscriber leave. */
  #isOver = false;
  #since = new Date();

  constructor(
    source: Listenable,
    subscriber: Subscriber,
    args: Arguments,
    request: Request,
    meters: Iterable<CollectedMeter>,
  ) {
    this.#source = source;
    this.#subscriber = subscriber;
    this.#request = request;
    this.#meters = meters;
    this.#sessionId = args.SessionId || crypto.randomUUID();
    // A subscriber that only wants to know which instruments exist needs no measurements.
    const wantsValues = passes(METER_EVENTS.CollectionStart, request);
    this.#asked = wantsValues ? (args.Metrics ?? '').split(/[,;]/).map((item) => item.trim()) : [];
    this.#roomForSeries = countOf(args.MaxTimeSeries, DEFAULT_TIME_SERIES);
    this.#roomForHistograms = countOf(args.MaxHistograms, DEFAULT_HISTOGRAMS);
    const milliseconds = Math.trunc(Number(args.RefreshInterval) * 1000) || DEFAULT_MILLISECONDS;
    this.milliseconds = Math.min(Math.max(milliseconds, MIN_MILLISECONDS), MAX_MILLISECONDS);
  }

  start(): void {
    for (const meter of this.#meters) {
      for (const demand of meter.demands) this.accompany(meter, demand);
      for (const instrument of meter.instruments) this.add(meter, instrument);
    }
    this.#tell('InitialInstrumentEnumerationComplete', {});
  }

  accompany(meter: CollectedMeter, demand: Demand): void {
    const isAsked = this.#asked.some((item) => item === meter.name || item.startsWith(`${meter.name}\\`));
    if (!isAsked || this.#isOver) return;
    const ends = this.#ends.get(meter) ?? [];
    ends.push(demand.join());
    this.#ends.set(meter, ends);
  }

  add(meter: CollectedMeter, instrument: Instrument): void {
    const description = descriptionOf(meter, instrument);
    this.#tell('InstrumentPublished', description);
    const isAsked = this.#asked.some(
      (item) => item === meter.name || item === `${meter.name}\\${instrument.name}`,
    );
    // Announcing an instrument can create another one, which is then visited twice.
    if (!isAsked || this.#isOver || this.#instruments.has(instrument)) return;
    const { type } = instrument;
    const series = new InstrumentSeries(meter, type, () => this.#newSeries(type));
    this.#instruments.set(instrument, series);
    instrument.join(series);
    this.#tell('BeginInstrumentReporting', description);
  }

  remove(meter: CollectedMeter): void {
    for (const instrument of meter.instruments) {
      const series = this.#instruments.get(instrument);
      if (series === undefined) continue;
      instrument.leave(series);
      this.#instruments.delete(instrument);
      this.#tell('EndInstrumentReporting', descriptionOf(meter, instrument));
    }
    this.#endDemands(meter);
  }

  collect(): void {
    const interval = { intervalStartTime: this.#since, intervalEndTime: new Date() };
    this.#since = interval.intervalEndTime;
    this.#tell('CollectionStart', interval);
    for (const [instrument, series] of [...this.#instruments]) {
      instrument.passOn();
      this.#observe(instrument, series);
      for (const [tags, each] of series.all) {
        this.#tellValue(series.meter, instrument, tags, each);
        beginInterval(each, instrument.type);
      }
    }
    this.#tell('CollectionStop', interval);
  }

  end(): void {
    this.#isOver = true;
    for (const [instrument, series] of this.#instruments) instrument.leave(series);
    this.#instruments.clear();
    for (const meter of [...this.#ends.keys()]) this.#endDemands(meter);
  }

  #endDemands(meter: CollectedMeter): void {
    const ends = this.#ends.get(meter) ?? [];
    this.#ends.delete(meter);
    for (const end of ends) end();
  }

  #newSeries(type: InstrumentType): Series | undefined {
    const isHistogram = type === 'Histogram';
    if (this.#roomForSeries === 0) return this.#tellOnce('TimeSeriesLimitReached');
    if (isHistogram && this.#roomForHistograms === 0) return this.#tellOnce('HistogramLimitReached');
    this.#roomForSeries--;
    if (isHistogram) this.#roomForHistograms--;
    return newSeries(type);
  }

  #observe(instrument: Instrument, series: InstrumentSeries): void {
    try {
      for (const { value, tags } of instrument.observe?.() ?? []) {
        if (Number.isFinite(value)) series.record(value, tagsText(tags));
      }
    } catch (error) {
      const errorMessage = `${series.meter.name}\\${instrument.name}: ${thrownText(error)}`;
      this.#tell('ObservableInstrumentCallbackError', { errorMessage });
    }
  }

  #tellValue(
    { name: meterName, version: meterVersion }: CollectedMeter,
    { name: instrumentName, type, unit, id: instrumentId }: Instrument,
    tags: string,
    { delta, value, histogram }: Series,
  ): void {
    const series = { meterName, meterVersion, instrumentName, unit, tags, instrumentId };
    if (histogram !== undefined) {
      const values = histogram.quantiles(QUANTILES);
      const quantiles = values.map((each, index) => `${QUANTILES[index]}=${each}`).join(';');
      const { count, sum } = histogram;
      this.#tell('HistogramValuePublished', { ...series, quantiles, count, sum });
    } else if (type === 'Gauge' || type === 'ObservableGauge') {
      this.#tell('GaugeValuePublished', { ...series, lastValue: numberText(value) });
    } else {
      const isUpDown = type === 'UpDownCounter' || type === 'ObservableUpDownCounter';
      const event = isUpDown ? 'UpDownCounterRateValuePublished' : 'CounterRateValuePublished';
      this.#tell(event, { ...series, rate: numberText(delta), value: numberText(value) });
    }
  }

  #tellOnce(event: keyof typeof METER_EVENTS): undefined {
    if (this.#told.has(event)) return;
    this.#told.add(event);
    this.#tell(event, {});
  }

  #tell(event: keyof typeof METER_EVENTS, fields: Payload): void {
    const schema = METER_EVENTS[event];
    if (!passes(schema, this.#request)) return;
    const payload = { sessionId: this.#sessionId, ...fields };
    deliverTo(this.#subscriber, this.#source, schema, payload, undefined, undefined, timestamp());
  }
}

/** What the subscriber receives from one instrument: a time series per set of tags. */
class InstrumentSeries implements Recorder {
  readonly meter: CollectedMeter;
  readonly #type: InstrumentType;
  /** Creates another one; undefined if there is no room. */
  readonly #create: () => Series | undefined;
  readonly #byTags = new Map<string, Series>();
  /** Holds the values without tags, which most are. */
  #untagged: Series | undefined;

  constructor(meter: CollectedMeter, type: InstrumentType, create: () => Series | undefined) {
    this.meter = meter;
    this.#type = type;
    this.#create = create;
  }

  /** The key is made of the tags; the order is that of arrival. */
  get all(): Iterable<readonly [string, Series]> {
    return this.#byTags;
  }

  get hasUntagged(): boolean {
    return this.#untagged !== undefined;
  }

  record(value: number, tags: string): void {
    let series = tags === '' ? this.#untagged : this.#byTags.get(tags);
    if (series === undefined) {
      series = this.#create();
      if (series === undefined) return;
      this.#byTags.set(tags, series);
      if (tags === '') this.#untagged = series;
    }
    addTo(series, this.#type, value);
  }
}

function descriptionOf(meter: CollectedMeter, instrument: Instrument): Payload {
  return {
    meterName: meter.name,
    meterVersion: meter.version,
    instrumentName: instrument.name,
    instrumentType: instrument.type,
    unit: instrument.unit,
    description: instrument.description,
    instrumentTags: instrument.tags,
    meterTags: meter.tags,
    meterScopeHash: '',
    instrumentId: instrument.id,
  };
}

function numberText(value: number | undefined): string {
  return value === undefined ? '' : String(value);
}

function countOf(text: string | undefined, unlessGiven: number): number {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : unlessGiven;
}
