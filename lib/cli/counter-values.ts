/**
 * What the events of counters say: EventCounters of event sources, and the values of meters that the event source
 * System.Diagnostics.Metrics passes on.
 */

import type { TraceEvent } from '../trace/trace-event.ts';
import type { Payload } from '../wire/decoded-field.ts';

export interface CounterValue {
  /** Of EventCounters the event source's name, else the meter's. */
  readonly provider: string;
  readonly name: string;
  readonly displayName: string;
  /** Empty: none. */
  readonly unit: string;
  /** `key=value,key=value`; empty: none. */
  readonly tags: string;
  /** Whether the value is what has come in an interval. */
  readonly isRate: boolean;
  /** Seconds. */
  readonly interval: number;
  /** Undefined where a series of a meter has ended. */
  readonly value: number | undefined;
  readonly isOfMeter: boolean;
}

export const METRICS_PROVIDER = 'System.Diagnostics.Metrics';

/** Of a meter's events those that tell values, with the field that has it. */
const VALUE_FIELDS: Readonly<Record<string, string>> = {
  CounterRateValuePublished: 'rate',
  // Its rate says less than what it is up to, as dotnet-counters has it.
  UpDownCounterRateValuePublished: 'value',
  GaugeValuePublished: 'lastValue',
};
/** Of a meter's events those that tell of a problem, with what it is. */
const PROBLEMS: Readonly<Record<string, string>> = {
  Error: 'The process cannot pass its meters on',
  TimeSeriesLimitReached: 'The process has more series of meters than are asked for: some are not shown',
  HistogramLimitReached: 'The process has more histograms than are asked for: some are not shown',
  ObservableInstrumentCallbackError: 'An instrument of the process failed',
  MultipleSessionsNotSupportedError: 'Another tool has the meters of the process',
  MultipleSessionsConfiguredIncorrectlyError:
    'Another tool has the meters of the process, by another interval',
};

/**
 * The values of an event; none where it is no counter's.
 *
 * @param sessionId of the meters; values of others are of other tools
 * @param interval seconds that were asked for
 */
export function counterValues(event: TraceEvent, sessionId: string, interval: number): CounterValue[] {
  if (event.provider === METRICS_PROVIDER) return meterValues(event, sessionId, interval);
  return event.name === 'EventCounters' ? eventCounter(event, interval) : [];
}

/** What keeps meters from being shown, as a sentence. */
export function counterProblem(event: TraceEvent): string | undefined {
  if (event.provider !== METRICS_PROVIDER || !Object.hasOwn(PROBLEMS, event.name)) return undefined;
  const detail = text(event.payload.errorMessage).split('\n', 1)[0];
  return `${PROBLEMS[event.name]}${detail === '' ? '' : `: ${detail}`}.`;
}

/** The fields are in a struct Payload, which .NET puts into one without a name. */
function eventCounter({ provider, payload }: TraceEvent, interval: number): CounterValue[] {
  const counter = structOf(payload.Payload) ?? structOf(structOf(payload[''])?.Payload);
  if (counter === undefined) return [];
  const isRate = text(counter.CounterType) === 'Sum';
  const value = isRate ? counter.Increment : counter.Mean;
  if (typeof value !== 'number') return [];
  const name = text(counter.Name);
  return [
    {
      provider,
      name,
      displayName: text(counter.DisplayName) || name,
      unit: text(counter.DisplayUnits) || (isRate ? 'Count' : ''),
      tags: text(counter.Metadata).replaceAll(':', '='),
      isRate,
      interval: seriesInterval(text(counter.Series)) ?? interval,
      value,
      isOfMeter: false,
    },
  ];
}

/** `Interval=1000`: the milliseconds that were asked for, by whichever tool. */
function seriesInterval(series: string): number | undefined {
  const ms = /^Interval=(?<ms>\d{1,9})$/.exec(series)?.groups?.ms;
  return ms === undefined ? undefined : Number(ms) / 1000;
}

function meterValues(
  { name: event, payload }: TraceEvent,
  sessionId: string,
  interval: number,
): CounterValue[] {
  if (text(payload.sessionId) !== sessionId) return [];
  const name = text(payload.instrumentName);
  const common = {
    provider: text(payload.meterName),
    name,
    displayName: name,
    unit: text(payload.unit),
    interval,
    isRate: event === 'CounterRateValuePublished',
    isOfMeter: true,
  };
  const tags = text(payload.tags);
  if (event === 'HistogramValuePublished') {
    return quantiles(text(payload.quantiles)).map(([quantile, value]) => ({
      ...common,
      tags: `${tags}${tags === '' ? '' : ','}Percentile=${100 * quantile}`,
      value,
    }));
  }
  const field = Object.hasOwn(VALUE_FIELDS, event) ? VALUE_FIELDS[event] : undefined;
  if (field === undefined) return [];
  const value = text(payload[field]);
  return [{ ...common, tags, value: value === '' ? undefined : Number(value) }];
}

/** `0.5=1;0.95=2;0.99=3`. */
function quantiles(list: string): [quantile: number, value: number][] {
  return list
    .split(';')
    .filter((item) => item.includes('='))
    .map((item) => item.split('=', 2).map(Number) as [number, number]);
}

function structOf(value: Payload[string] | undefined): Payload | undefined {
  return typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array)
    ? (value as Payload)
    : undefined;
}

function text(value: Payload[string] | undefined): string {
  return typeof value === 'string' ? value : '';
}
