/**
 * The counter values in events: EventCounters of event sources, and values of meters that the event source
 * System.Diagnostics.Metrics publishes.
 */

import type { TraceEvent } from '../trace/trace-event.ts';
import type { Payload } from '../wire/decoded-field.ts';

export interface CounterValue {
  /** The event source's name for EventCounters, otherwise the meter's. */
  readonly provider: string;
  readonly name: string;
  readonly displayName: string;
  /** The unit is empty if there is none. */
  readonly unit: string;
  /** `key=value,key=value`; empty if there are none. */
  readonly tags: string;
  /** Whether the value is the increase in an interval. */
  readonly isRate: boolean;
  /** Seconds. */
  readonly interval: number;
  /** The value is undefined if a time series of a meter has ended. */
  readonly value: number | undefined;
  readonly isOfMeter: boolean;
}

export const METRICS_PROVIDER = 'System.Diagnostics.Metrics';

/** The meter events that carry values, with the field that holds the value. */
const VALUE_FIELDS: Readonly<Record<string, string>> = {
  CounterRateValuePublished: 'rate',
  // Like dotnet-counters: its current total says more than its rate.
  UpDownCounterRateValuePublished: 'value',
  GaugeValuePublished: 'lastValue',
};
/** The meter events that report a problem, with its description. */
const PROBLEMS: Readonly<Record<string, string>> = {
  Error: 'The process cannot publish its meters',
  TimeSeriesLimitReached: 'The process has more time series than requested: some are not shown',
  HistogramLimitReached: 'The process has more histograms than requested: some are not shown',
  ObservableInstrumentCallbackError: 'An instrument of the process failed',
  MultipleSessionsNotSupportedError: 'Another tool is using the meters of the process',
  MultipleSessionsConfiguredIncorrectlyError:
    'Another tool is using the meters of the process, with another interval',
};

/**
 * The values of an event; empty if it is not a counter's.
 *
 * @param sessionId of the meters; values for other sessions belong to other tools. Without it, all count.
 * @param interval requested, in seconds
 */
export function counterValues(
  event: TraceEvent,
  sessionId: string | undefined,
  interval: number,
): CounterValue[] {
  if (event.provider === METRICS_PROVIDER) return meterValues(event, sessionId, interval);
  return event.name === 'EventCounters' ? eventCounter(event, interval) : [];
}

/** Why meters cannot be shown, as a sentence. */
export function counterProblem(event: TraceEvent): string | undefined {
  if (event.provider !== METRICS_PROVIDER || !Object.hasOwn(PROBLEMS, event.name)) return undefined;
  const detail = text(event.payload.errorMessage).split('\n', 1)[0];
  return `${PROBLEMS[event.name]}${detail === '' ? '' : `: ${detail}`}.`;
}

/** The fields are in a struct Payload, which .NET nests in a nameless one. */
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

/** `Interval=1000`: the milliseconds requested by some tool. */
function seriesInterval(series: string): number | undefined {
  const ms = /^Interval=(?<ms>\d{1,9})$/.exec(series)?.groups?.ms;
  return ms === undefined ? undefined : Number(ms) / 1000;
}

function meterValues(
  { name: event, payload }: TraceEvent,
  sessionId: string | undefined,
  interval: number,
): CounterValue[] {
  if (sessionId !== undefined && text(payload.sessionId) !== sessionId) return [];
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
