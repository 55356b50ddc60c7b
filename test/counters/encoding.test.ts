/** The event EventCounters as its bytes: what dotnet-counters reads by name and by type. */
import { describe, expect, it } from 'vitest';
import { CounterEvents, CounterPayload, type SumPayload } from '../../lib/counters/counter-payload.ts';
import { netTraceFields, valueWriterOf } from '../../lib/session/event-pipe/field-layouts.ts';
import { EventEncoder } from '../../lib/wire/event-encoder.ts';
import { TypeCode } from '../../lib/wire/nettrace/constants.ts';
import { compilePayloadWriter } from '../../lib/wire/payload-writer.ts';
import { scratch } from '../../lib/wire/scratch.ts';

const COUNTER: SumPayload = {
  Name: 'n',
  DisplayName: '',
  DisplayRateTimeScale: '00:00:01',
  Increment: 5,
  IntervalSec: 1,
  Metadata: '',
  Series: 'Interval=1000',
  CounterType: 'Sum',
  DisplayUnits: '',
};
const schema = new CounterEvents().of(COUNTER);

describe('the event EventCounters', () => {
  it('is described as one struct without a name, with one struct Payload in it', () => {
    const [outer] = netTraceFields(schema.fields);
    expect(outer).toMatchObject({ name: '', type: { code: TypeCode.Object, fields: [{ name: 'Payload' }] } });
    const payload = outer?.type.fields?.[0]?.type;
    expect(payload?.fields?.map(({ name, type }) => [name, type.code])).toEqual([
      ['Name', 18],
      ['DisplayName', 18],
      ['DisplayRateTimeScale', 18],
      ['Increment', 14],
      ['IntervalSec', 13],
      ['Metadata', 18],
      ['Series', 18],
      ['CounterType', 18],
      ['DisplayUnits', 18],
    ]);
  });

  it('has its values one after the other: text of two bytes a character, double and float', () => {
    const nothing = new Uint8Array(0);
    const prefixes = { plain: nothing, withActivity: nothing, withRelated: nothing };
    const writer = compilePayloadWriter(schema.fields, valueWriterOf);
    const encoder = new EventEncoder(prefixes, () => {}, writer);
    const size = encoder.encode(new CounterPayload(COUNTER), undefined, undefined);
    const text = (value: string) => Buffer.from(`${value}\0`, 'utf16le');
    const numbers = Buffer.alloc(12);
    numbers.writeDoubleLE(5, 0);
    numbers.writeFloatLE(1, 8);
    const expected = Buffer.concat([
      ...['n', '', '00:00:01'].map(text),
      numbers,
      ...['', 'Interval=1000', 'Sum', ''].map(text),
    ]);
    expect(Buffer.from(scratch.subarray(0, size)).toString('hex')).toBe(expected.toString('hex'));
  });
});
