/** The formatted messages of events. */
import { describe, expect, it } from 'vitest';
import type { EventDescription, PackedField, PackedMap } from '../../../lib/wire/packed/field.ts';
import { formatMessage } from '../../../lib/wire/packed/message.ts';
import { cpuTimeOf } from '../../base/cpu-time.ts';

/** Of the payload: more than any of these has. */
const SIZE = 100;

const REASONS: PackedMap = { name: 'Reason', kind: 'value', names: new Map([[1, 'Induced']]) };
const FLAGS: PackedMap = {
  name: 'Flags',
  kind: 'bits',
  names: new Map([
    [1, 'Generic'],
    [8, 'Jitted'],
  ]),
};

function event(message: string | undefined, ...fields: PackedField[]): EventDescription {
  return { name: 'E', fields, ...(message === undefined ? {} : { message }) };
}

const COUNT: PackedField = { name: 'Count', type: 'uint32' };
const REASON: PackedField = { name: 'Reason', type: 'uint32', map: REASONS };

describe('a message', () => {
  it('contains the values of fields in place of its marks', () => {
    expect(formatMessage(event('%2 of %1, again %2', COUNT, REASON), { Count: 7, Reason: 1 }, SIZE)).toBe(
      'Induced of 7, again Induced',
    );
  });

  it('contains line breaks, tabs and percent signs in place of theirs', () => {
    expect(formatMessage(event('100%%%n%tdone%%1', COUNT), { Count: 7 }, SIZE)).toBe('100%\n    done%1');
  });

  it('contains values for marks with a printf format, which is ignored', () => {
    expect(formatMessage(event('%1!d! bytes!', COUNT), { Count: 7 }, SIZE)).toBe('7 bytes!');
  });

  it('keeps marks of missing fields', () => {
    expect(formatMessage(event('%1 %2 %3 %x %', COUNT, REASON), { Count: 7 }, SIZE)).toBe('7 %2 %3 %x %');
  });

  it('counts hidden fields, too', () => {
    const size: PackedField = { name: 'dataSize', type: 'uint32', hidden: true };
    const data: PackedField = { name: 'data', type: 'binary', length: 'dataSize' };
    expect(formatMessage(event('data %2', size, data), { data: Uint8Array.of(1, 0xab) }, SIZE)).toBe(
      'data 01ab',
    );
  });
});

describe('a text', () => {
  const MAX = 40_000;
  const long = (count: number) => 'x'.repeat(count);
  const bits = new Map(Array.from({ length: 50_000 }, (_, bit) => [2 ** (bit % 60) + bit, long(100_000)]));

  it.each<[what: string, EventDescription, Record<string, unknown>]>([
    ['one field again and again', event('%1'.repeat(1e6), COUNT), { Count: long(1000) }],
    ['a message without marks', event(long(5e7)), {}],
    [
      'the names of bits',
      event(undefined, { ...COUNT, map: { name: 'm', kind: 'bits', names: bits } }),
      { Count: Array(20_000).fill(0xffff_ffff) },
    ],
    [
      'long names of members',
      event(undefined, { name: 's', type: 'struct', fields: [{ name: long(60_000), type: 'uint8' }] }),
      { s: Array(60_000).fill({ [long(60_000)]: 1 }) },
    ],
  ])('has a length in proportion to the payload, although it is of %s', (_what, described, payload) => {
    const cost = cpuTimeOf(() => {
      for (let i = 0; i < 5; i++) {
        const text = formatMessage(described, payload as never, 1000);
        expect(text.length).toBeLessThan(MAX);
        expect(text).toMatch(/…$/);
      }
    });
    expect(cost).toBeLessThan(1000);
  });
});

describe('an event without a message', () => {
  it('shows its fields', () => {
    expect(formatMessage(event(undefined, COUNT, REASON), { Count: 7, Reason: 1 }, SIZE)).toBe(
      'Count = 7, Reason = Induced',
    );
  });

  it.each<[string, Partial<PackedField>, unknown, string]>([
    ['a number without a name', { map: REASONS }, 9, '9'],
    ['bits', { map: FLAGS }, 9, 'Generic|Jitted'],
    ['bits without names', { map: FLAGS }, 0x108, 'Jitted|0x100'],
    ['no bits', { map: FLAGS }, 0, '0'],
    ['bits of 64', { map: FLAGS, type: 'hex64' }, 0x8000_0000_0000_0008n, 'Jitted|0x8000000000000000'],
    ['an array', {}, [1, 2], '[1, 2]'],
    ['an array of named numbers', { map: REASONS }, [1, 2], '[Induced, 2]'],
    ['a struct', { type: 'struct', fields: [COUNT] }, { Count: 3 }, '{Count = 3}'],
    ['structs', { type: 'struct', fields: [COUNT] }, [{ Count: 3 }, {}], '[{Count = 3}, {}]'],
    ['bytes', { type: 'binary' }, Uint8Array.of(0, 255), '00ff'],
    ['nothing', { type: 'wbemSid' }, null, 'null'],
    ['a time', { type: 'filetime' }, 133_500_000_000_000_000n, '2024-01-17T21:20:00.0000000Z'],
  ])('shows %s', (_name, field, value, text) => {
    const described = event(undefined, { name: 'it', type: 'uint32', ...field });
    expect(formatMessage(described, { it: value as never }, SIZE)).toBe(`it = ${text}`);
  });
});
