/** The bytes of the events of counters and meters, which dotnet-counters reads by name and by type. */
import { describe, expect, it } from 'vitest';
import {
  CounterEvents,
  CounterPayload,
  type MeanPayload,
  type SumPayload,
} from '../../lib/counters/counter-payload.ts';
import { METER_EVENTS } from '../../lib/counters/meter-events.ts';
import { netTraceFields, valueWriterOf } from '../../lib/eventpipe/field-layouts.ts';
import { EventEncoder } from '../../lib/wire/event-encoder.ts';
import { NetTraceBytes } from '../../lib/wire/nettrace/write/byte-writer.ts';
import { writeMetadataRowV4 } from '../../lib/wire/nettrace/write/metadata-v4-row.ts';
import { compilePayloadWriter } from '../../lib/wire/payload-writer.ts';
import type { EventSchema } from '../../lib/wire/schema.ts';
import { scratch } from '../../lib/wire/scratch.ts';
import type { Payload } from '../../lib/wire/values/faults.ts';
import { type Bytes, flat, sized, u8, u32, u64, utf16, varuint } from '../wire/nettrace/nettrace-bytes.ts';

/** Source: .NET's EventPipe, TypeCode of the runtime's metadata. */
const [OBJECT, INT32, SINGLE, DOUBLE, DATE_TIME, STRING] = [1, 9, 13, 14, 16, 18];

function double(value: number): Bytes {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return [...bytes];
}

function single(value: number): Bytes {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return [...bytes];
}

const hex = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString('hex');

function encoded({ fields }: EventSchema, payload: Payload): string {
  const nothing = new Uint8Array(0);
  const prefixes = { plain: nothing, withActivity: nothing, withRelated: nothing };
  const encoder = new EventEncoder(prefixes, () => {}, compilePayloadWriter(fields, valueWriterOf));
  return hex(scratch.subarray(0, encoder.encode(payload, undefined, undefined)));
}

/** A row of version 4's metadata block for the event's id 1, version 0 and no opcode. */
function described({ name, version, level, keywords, fields }: EventSchema): string {
  const bytes = new NetTraceBytes();
  const metadata = {
    provider: 'P',
    eventId: 1,
    name,
    keywords,
    version,
    level,
    fields: netTraceFields(fields),
  };
  writeMetadataRowV4(bytes, 7, metadata);
  return hex(bytes.current());
}

/** The same, put together by hand. */
function row(name: string, version: number, level: number, keywords: bigint, fields: Bytes): string {
  const head = [u32(7), utf16('P'), u32(1), utf16(name), u64(keywords), u32(version), u32(level)];
  // Its flag of a payload size, no time passed, and the payload behind its size.
  return hex(flat(u8(0x80), u8(0), sized(varuint)(head, fields)));
}

const fieldList = (...fields: readonly (readonly [type: number | undefined, name: string])[]): Bytes => [
  u32(fields.length),
  fields.map(([type = 0, name]) => [u32(type), utf16(name)]),
];

describe('the event EventCounters', () => {
  const shared = {
    Name: 'n',
    DisplayName: 'N',
    Metadata: 'a:b',
    Series: 'Interval=1000',
    DisplayUnits: 'MB',
  };
  const mean: MeanPayload = {
    ...shared,
    Mean: 2,
    StandardDeviation: 1,
    Count: 2,
    Min: 1,
    Max: 3,
    IntervalSec: 1.5,
    CounterType: 'Mean',
  };
  const sum: SumPayload = {
    ...shared,
    DisplayRateTimeScale: '00:00:01',
    Increment: 5,
    IntervalSec: 1.5,
    CounterType: 'Sum',
  };
  const events = new CounterEvents();

  it.each([
    [
      mean,
      fieldList(
        [STRING, 'Name'],
        [STRING, 'DisplayName'],
        [DOUBLE, 'Mean'],
        [DOUBLE, 'StandardDeviation'],
        [INT32, 'Count'],
        [DOUBLE, 'Min'],
        [DOUBLE, 'Max'],
        [SINGLE, 'IntervalSec'],
        [STRING, 'Series'],
        [STRING, 'CounterType'],
        [STRING, 'Metadata'],
        [STRING, 'DisplayUnits'],
      ),
    ],
    [
      sum,
      fieldList(
        [STRING, 'Name'],
        [STRING, 'DisplayName'],
        [STRING, 'DisplayRateTimeScale'],
        [DOUBLE, 'Increment'],
        [SINGLE, 'IntervalSec'],
        [STRING, 'Metadata'],
        [STRING, 'Series'],
        [STRING, 'CounterType'],
        [STRING, 'DisplayUnits'],
      ),
    ],
  ])('is described as one unnamed struct that contains a struct Payload: %o', (payload, fields) => {
    const nested: Bytes = [
      u32(1),
      u32(OBJECT as number),
      [u32(1), u32(OBJECT as number), fields, utf16('Payload')],
      utf16(''),
    ];
    expect(described(events.of(payload))).toBe(row('EventCounters', 0, 0, 0n, nested));
  });

  it('for a mean contains its values in sequence', () => {
    const expected = flat(
      utf16('n'),
      utf16('N'),
      double(2),
      double(1),
      u32(2),
      double(1),
      double(3),
      single(1.5),
      utf16('Interval=1000'),
      utf16('Mean'),
      utf16('a:b'),
      utf16('MB'),
    );
    expect(encoded(events.of(mean), new CounterPayload(mean))).toBe(hex(expected));
  });

  it('for an increment contains its values in sequence', () => {
    const expected = flat(
      utf16('n'),
      utf16('N'),
      utf16('00:00:01'),
      double(5),
      single(1.5),
      utf16('a:b'),
      utf16('Interval=1000'),
      utf16('Sum'),
      utf16('MB'),
    );
    expect(encoded(events.of(sum), new CounterPayload(sum))).toBe(hex(expected));
  });
});

describe('an event of System.Diagnostics.Metrics', () => {
  const texts = (...names: readonly string[]) => names.map((name) => [STRING, name] as const);
  const SERIES = texts('sessionId', 'meterName', 'meterVersion', 'instrumentName', 'unit', 'tags');
  const DESCRIPTION = [
    ...texts('sessionId', 'meterName', 'meterVersion', 'instrumentName', 'instrumentType', 'unit'),
    ...texts('description', 'instrumentTags', 'meterTags', 'meterScopeHash'),
  ];
  const ID = [INT32, 'instrumentId'] as const;

  it.each([
    [
      2,
      'CollectionStart',
      0,
      2n,
      [...texts('sessionId'), [DATE_TIME, 'intervalStartTime'], [DATE_TIME, 'intervalEndTime']],
    ],
    [
      3,
      'CollectionStop',
      0,
      2n,
      [...texts('sessionId'), [DATE_TIME, 'intervalStartTime'], [DATE_TIME, 'intervalEndTime']],
    ],
    [4, 'CounterRateValuePublished', 2, 2n, [...SERIES, ...texts('rate', 'value'), ID]],
    [5, 'GaugeValuePublished', 2, 2n, [...SERIES, ...texts('lastValue'), ID]],
    [
      6,
      'HistogramValuePublished',
      2,
      2n,
      [...SERIES, ...texts('quantiles'), [INT32, 'count'], [DOUBLE, 'sum'], ID],
    ],
    [7, 'BeginInstrumentReporting', 2, 2n, [...DESCRIPTION, ID]],
    [8, 'EndInstrumentReporting', 2, 2n, [...DESCRIPTION, ID]],
    [10, 'InitialInstrumentEnumerationComplete', 0, 6n, texts('sessionId')],
    [11, 'InstrumentPublished', 2, 4n, [...DESCRIPTION, ID]],
    [12, 'TimeSeriesLimitReached', 0, 2n, texts('sessionId')],
    [13, 'HistogramLimitReached', 0, 2n, texts('sessionId')],
    [14, 'ObservableInstrumentCallbackError', 0, 2n, texts('sessionId', 'errorMessage')],
    [16, 'UpDownCounterRateValuePublished', 2, 2n, [...SERIES, ...texts('rate', 'value'), ID]],
  ] as const)('%d is %s, of version %d, with its fields', (id, name, version, keywords, fields) => {
    expect(METER_EVENTS[name].id).toBe(id);
    expect(described(METER_EVENTS[name])).toBe(row(name, version, 4, keywords, fieldList(...fields)));
  });

  const series = {
    sessionId: 'SHARED',
    meterName: 'Shop',
    meterVersion: '1.0',
    instrumentName: 'sold',
    unit: '{item}',
    tags: 'kind=book',
    instrumentId: 3,
  };
  const seriesBytes = ['SHARED', 'Shop', '1.0', 'sold', '{item}', 'kind=book'].map(utf16);

  it('for a counter has its numbers as text', () => {
    expect(encoded(METER_EVENTS.CounterRateValuePublished, { ...series, rate: '2', value: '7' })).toBe(
      hex(flat(seriesBytes, utf16('2'), utf16('7'), u32(3))),
    );
  });

  it('for a gauge has its number as text', () => {
    expect(encoded(METER_EVENTS.GaugeValuePublished, { ...series, lastValue: '2.5' })).toBe(
      hex(flat(seriesBytes, utf16('2.5'), u32(3))),
    );
  });

  it('for a histogram has its quantiles as text', () => {
    const payload = { ...series, quantiles: '0.5=1;0.95=2;0.99=3', count: 4, sum: 5.5 };
    expect(encoded(METER_EVENTS.HistogramValuePublished, payload)).toBe(
      hex(flat(seriesBytes, utf16('0.5=1;0.95=2;0.99=3'), u32(4), double(5.5), u32(3))),
    );
  });

  it('for a collection has its times as file times: 100 ns since 1601', () => {
    const payload = {
      sessionId: 'SHARED',
      intervalStartTime: new Date('2025-02-03T04:05:06Z'),
      intervalEndTime: new Date('2025-02-03T04:05:07Z'),
    };
    const start = 133_830_291_060_000_000n;
    expect(encoded(METER_EVENTS.CollectionStart, payload)).toBe(
      hex(flat(utf16('SHARED'), u64(start), u64(start + 10_000_000n))),
    );
  });
});
