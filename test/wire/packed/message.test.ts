/** The formatted messages of events. */
import { describe, expect, it } from 'vitest';
import type { EventDescription, PackedField, PackedMap } from '../../../lib/wire/packed/field.ts';
import { formatMessage } from '../../../lib/wire/packed/message.ts';

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
    expect(formatMessage(event('%2 of %1, again %2', COUNT, REASON), { Count: 7, Reason: 1 })).toBe(
      'Induced of 7, again Induced',
    );
  });

  it('contains line breaks, tabs and percent signs in place of theirs', () => {
    expect(formatMessage(event('100%%%n%tdone%%1', COUNT), { Count: 7 })).toBe('100%\n    done%1');
  });

  it('contains values for marks with a printf format, which is ignored', () => {
    expect(formatMessage(event('%1!d! bytes!', COUNT), { Count: 7 })).toBe('7 bytes!');
  });

  it('keeps marks of missing fields', () => {
    expect(formatMessage(event('%1 %2 %3 %x %', COUNT, REASON), { Count: 7 })).toBe('7 %2 %3 %x %');
  });

  it('counts hidden fields, too', () => {
    const size: PackedField = { name: 'dataSize', type: 'uint32', hidden: true };
    const data: PackedField = { name: 'data', type: 'binary', length: 'dataSize' };
    expect(formatMessage(event('data %2', size, data), { data: Uint8Array.of(1, 0xab) })).toBe('data 01ab');
  });
});

describe('an event without a message', () => {
  it('shows its fields', () => {
    expect(formatMessage(event(undefined, COUNT, REASON), { Count: 7, Reason: 1 })).toBe(
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
    expect(formatMessage(described, { it: value as never })).toBe(`it = ${text}`);
  });
});
