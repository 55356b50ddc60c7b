/**
 * The events of `System.Diagnostics.Metrics`, from which .NET's tools read meters.
 *
 * Source: .NET's MetricsEventSource, and what dotnet-counters reads from it: by name and version.
 */
import { defaultOpcode } from '../source/event-schemas.ts';
import type { EventSchema, FieldType } from '../wire/schema.ts';

export const METRICS_PROVIDER = 'System.Diagnostics.Metrics';

const TIME_SERIES_VALUES = 0x2n;
const INSTRUMENT_PUBLISHING = 0x4n;
const INFORMATIONAL = 4;
/** The events that have gained fields over time, as in .NET 9. */
const EXTENDED = 2;

const SESSION = { sessionId: 'utf16' } as const;
const INTERVAL = { ...SESSION, intervalStartTime: 'time', intervalEndTime: 'time' } as const;
const SERIES = {
  ...SESSION,
  meterName: 'utf16',
  meterVersion: 'utf16',
  instrumentName: 'utf16',
  unit: 'utf16',
  tags: 'utf16',
} as const;
const RATE = { ...SERIES, rate: 'utf16', value: 'utf16', instrumentId: 'int32' } as const;
const DESCRIPTION = {
  ...SESSION,
  meterName: 'utf16',
  meterVersion: 'utf16',
  instrumentName: 'utf16',
  instrumentType: 'utf16',
  unit: 'utf16',
  description: 'utf16',
  instrumentTags: 'utf16',
  meterTags: 'utf16',
  meterScopeHash: 'utf16',
  instrumentId: 'int32',
} as const;
const FAULT = { ...SESSION, errorMessage: 'utf16' } as const;

export const METER_EVENTS = {
  CollectionStart: schema(2, 'CollectionStart', INTERVAL),
  CollectionStop: schema(3, 'CollectionStop', INTERVAL),
  CounterRateValuePublished: schema(4, 'CounterRateValuePublished', RATE),
  GaugeValuePublished: schema(5, 'GaugeValuePublished', {
    ...SERIES,
    lastValue: 'utf16',
    instrumentId: 'int32',
  }),
  HistogramValuePublished: schema(6, 'HistogramValuePublished', {
    ...SERIES,
    quantiles: 'utf16',
    count: 'int32',
    sum: 'double',
    instrumentId: 'int32',
  }),
  BeginInstrumentReporting: schema(7, 'BeginInstrumentReporting', DESCRIPTION),
  EndInstrumentReporting: schema(8, 'EndInstrumentReporting', DESCRIPTION),
  InitialInstrumentEnumerationComplete: schema(
    10,
    'InitialInstrumentEnumerationComplete',
    SESSION,
    TIME_SERIES_VALUES | INSTRUMENT_PUBLISHING,
  ),
  InstrumentPublished: schema(11, 'InstrumentPublished', DESCRIPTION, INSTRUMENT_PUBLISHING),
  TimeSeriesLimitReached: schema(12, 'TimeSeriesLimitReached', SESSION),
  HistogramLimitReached: schema(13, 'HistogramLimitReached', SESSION),
  ObservableInstrumentCallbackError: schema(14, 'ObservableInstrumentCallbackError', FAULT),
  UpDownCounterRateValuePublished: schema(16, 'UpDownCounterRateValuePublished', RATE),
} as const satisfies Readonly<Record<string, EventSchema>>;

function schema(
  id: number,
  name: string,
  types: Readonly<Record<string, FieldType>>,
  keywords = TIME_SERIES_VALUES,
): EventSchema {
  const fields = Object.entries(types).map(([field, type]) => ({
    name: field,
    type,
    nullable: false,
    array: false,
  }));
  const opcode = defaultOpcode(name);
  const version = 'instrumentId' in types ? EXTENDED : 0;
  return { name, id, version, level: INFORMATIONAL, keywords, opcode, task: 0, tag: 0, fields };
}
