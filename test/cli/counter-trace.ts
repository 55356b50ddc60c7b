/** A nettrace of version 4 as a .NET process streams it to dotnet-counters: EventCounters, and values of meters. */
import {
  type Bytes,
  compressedEventV4,
  fastSerialized,
  headV4,
  sized,
  u32,
  u64,
  utf16,
  varuint,
} from '../wire/nettrace/nettrace-bytes.ts';

const TYPES = { object: 1, int32: 9, single: 13, double: 14, string: 18 } as const;
type Type = Exclude<keyof typeof TYPES, 'object'>;
type Fields = readonly (readonly [type: Type, name: string])[];
type Values = readonly (string | number)[];

const MEAN: Fields = [
  ['string', 'Name'],
  ['string', 'DisplayName'],
  ['double', 'Mean'],
  ['double', 'StandardDeviation'],
  ['int32', 'Count'],
  ['double', 'Min'],
  ['double', 'Max'],
  ['single', 'IntervalSec'],
  ['string', 'Series'],
  ['string', 'CounterType'],
  ['string', 'Metadata'],
  ['string', 'DisplayUnits'],
];
const SUM: Fields = [
  ['string', 'Name'],
  ['string', 'DisplayName'],
  ['string', 'DisplayRateTimeScale'],
  ['double', 'Increment'],
  ['single', 'IntervalSec'],
  ['string', 'Metadata'],
  ['string', 'Series'],
  ['string', 'CounterType'],
  ['string', 'DisplayUnits'],
];
const METER: Fields = ['sessionId', 'meterName', 'meterVersion', 'instrumentName', 'unit', 'tags'].map(
  (name) => ['string', name],
);
const RATE: Fields = [...METER, ['string', 'rate'], ['string', 'value'], ['int32', 'instrumentId']];
const GAUGE: Fields = [...METER, ['string', 'lastValue'], ['int32', 'instrumentId']];
const HISTOGRAM: Fields = [
  ...METER,
  ['string', 'quantiles'],
  ['int32', 'count'],
  ['double', 'sum'],
  ['int32', 'instrumentId'],
];

interface Kind {
  readonly provider: string;
  readonly event: string;
  readonly fields: Fields;
  /** As EventCounters have their fields: in a struct Payload in a struct without a name. */
  readonly isNested?: boolean;
}

const METRICS = 'System.Diagnostics.Metrics';
const KINDS = {
  mean: { provider: 'System.Runtime', event: 'EventCounters', fields: MEAN, isNested: true },
  sum: { provider: 'System.Runtime', event: 'EventCounters', fields: SUM, isNested: true },
  rate: { provider: METRICS, event: 'CounterRateValuePublished', fields: RATE },
  upDown: { provider: METRICS, event: 'UpDownCounterRateValuePublished', fields: RATE },
  gauge: { provider: METRICS, event: 'GaugeValuePublished', fields: GAUGE },
  histogram: { provider: METRICS, event: 'HistogramValuePublished', fields: HISTOGRAM },
  limit: { provider: METRICS, event: 'TimeSeriesLimitReached', fields: [['string', 'sessionId']] },
  failure: {
    provider: METRICS,
    event: 'Error',
    fields: [
      ['string', 'sessionId'],
      ['string', 'errorMessage'],
    ],
  },
} as const satisfies Record<string, Kind>;

export type CounterEvent = readonly [kind: keyof typeof KINDS, ...values: Values];

const KIND_NAMES = Object.keys(KINDS) as (keyof typeof KINDS)[];

/** Of a mean counter what matters to a reader; the rest is as the runtime fills it. */
export const mean = (name: string, display: string, value: number, unit = ''): CounterEvent => [
  ...(['mean', name, display, value, 0, 1, value, value, 1.01, 'Interval=1000', 'Mean', '', unit] as const),
];

export const sum = (name: string, display: string, value: number, unit = ''): CounterEvent => [
  ...(['sum', name, display, '00:00:01', value, 1.01, '', 'Interval=1000', 'Sum', unit] as const),
];

/** The events in their order, a millisecond from one to the next. */
export function counterTrace(...events: readonly CounterEvent[]): Uint8Array {
  const metadata = KIND_NAMES.map((name, index) => metadataOf(index + 1, KINDS[name]));
  return fastSerialized(
    4,
    ['MetadataBlock', headV4(1), metadata],
    [
      'EventBlock',
      headV4(1),
      ...events.map(([kind, ...values], index) =>
        compressedEventV4({
          metadataId: KIND_NAMES.indexOf(kind) + 1,
          sequence: index + 1,
          previousSequence: index,
          // Since the event before.
          time: 1,
          payload: payloadOf(KINDS[kind].fields, values),
        }),
      ),
    ],
  );
}

function metadataOf(id: number, { provider, event, fields, isNested = false }: Kind): Bytes {
  const described: Bytes = [
    u32(fields.length),
    fields.map(([type, name]) => [u32(TYPES[type]), utf16(name)]),
  ];
  const nested: Bytes = [
    u32(1),
    u32(TYPES.object),
    u32(1),
    u32(TYPES.object),
    described,
    utf16('Payload'),
    utf16(''),
  ];
  const payload: Bytes = [
    u32(id),
    utf16(provider),
    u32(id),
    utf16(event),
    u64(0),
    u32(0),
    u32(0),
    isNested ? nested : described,
  ];
  return [0x80, varuint(0), sized(varuint)(payload)];
}

function payloadOf(fields: Fields, values: Values): Bytes {
  return fields.map(([type], index) => {
    const value = values[index] ?? 0;
    if (type === 'string') return utf16(String(value));
    const bytes = Buffer.alloc(type === 'double' ? 8 : 4);
    if (type === 'double') bytes.writeDoubleLE(Number(value));
    else if (type === 'single') bytes.writeFloatLE(Number(value));
    else bytes.writeInt32LE(Number(value));
    return [...bytes];
  });
}
