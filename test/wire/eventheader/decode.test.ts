import { describe, expect, it } from 'vitest';
import { payloadOf } from '../../../lib/wire/decoded-field.ts';
import { Encoding, Format } from '../../../lib/wire/eventheader/constants.ts';
import { EventHeaderError } from '../../../lib/wire/eventheader/error.ts';
import { decodeEventHeader } from './decode-event.ts';
import { eventBytes, hex, name, text, uint16 } from './event-bytes.ts';

const TRACEPOINT = 'P_L5K1';

function valuesOf(metadata: readonly number[], payload: readonly number[], littleEndian = true) {
  const data = eventBytes({ metadata: [...name('E'), ...metadata], payload, littleEndian });
  return decodeEventHeader(TRACEPOINT, data).fields.map((field) => field.value);
}

function errorOf(decode: () => unknown): EventHeaderError {
  try {
    decode();
  } catch (error) {
    expect(error).toBeInstanceOf(EventHeaderError);
    return error as EventHeaderError;
  }
  throw new Error('no error was thrown');
}

describe('an event', () => {
  it('has its header, its tracepoint name, its activities and its fields', () => {
    const event = decodeEventHeader(
      'MyProv_L4K1fGgrp',
      hex(
        `07 02 0700 3412 01 04 | 2000 0280 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f
        | 1a00 0100 45763100 6100 84 02 7300 0a 737400 81 02 7a00 c8 80 5500 6200 8d 11
        | ffffffff 0300 616263 0200 4100 4200 0000 4300 0000 0400 7f000001`.replaceAll('|', ''),
      ),
    );
    expect(event).toEqual({
      provider: 'MyProv',
      level: 4,
      keyword: 0x1fn,
      options: 'Ggrp',
      name: 'Ev1',
      flags: 7,
      id: 7,
      version: 2,
      tag: 0x1234,
      opcode: 1,
      activityId: '00010203-0405-0607-0809-0a0b0c0d0e0f',
      relatedActivityId: '10111213-1415-1617-1819-1a1b1c1d1e1f',
      fields: [
        {
          name: 'a',
          tag: 0,
          encoding: Encoding.Value32,
          format: Format.SignedInt,
          shape: 'value',
          value: -1,
        },
        {
          name: 's',
          tag: 0,
          encoding: Encoding.StringLength16Char8,
          format: 0,
          shape: 'value',
          value: 'abc',
        },
        {
          name: 'st',
          tag: 0,
          encoding: Encoding.Struct,
          format: 2,
          shape: 'struct',
          value: [
            {
              name: 'z',
              tag: 0x55,
              encoding: Encoding.ZStringChar16,
              format: 0,
              shape: 'array',
              value: ['AB', 'C'],
            },
            {
              name: 'b',
              tag: 0,
              encoding: Encoding.BinaryLength16Char8,
              format: Format.IpAddress,
              shape: 'value',
              value: '127.0.0.1',
            },
          ],
        },
      ],
    });
    expect(payloadOf(event.fields)).toEqual({ a: -1, s: 'abc', st: { z: ['AB', 'C'], b: '127.0.0.1' } });
  });

  it('without fields or activity has neither', () => {
    const event = decodeEventHeader('MyProvider_L4K1', hex('0700000000000004 06000100 456d70747900'));
    expect(event).toMatchObject({ name: 'Empty', fields: [] });
    expect(event).not.toHaveProperty('activityId');
    expect(event).not.toHaveProperty('relatedActivityId');
  });

  it('may have attributes after its name', () => {
    const data = eventBytes({ metadata: name('Ev;unit=ms;note=a;;b=c') });
    expect(decodeEventHeader(TRACEPOINT, data)).toMatchObject({ name: 'Ev', fields: [] });
  });

  it('may be followed by padding', () => {
    const data = eventBytes({ metadata: [...name('E'), ...name('i'), 2], payload: [1, 0, 0, 0, 0xff] });
    expect(decodeEventHeader(TRACEPOINT, data).fields).toMatchObject([{ name: 'i', value: 1 }]);
  });
});

describe('values', () => {
  it.each([true, false])("are read in the event's byte order (little-endian: %s)", (littleEndian) => {
    const integer = (size: number) => {
      const bytes = Array.from({ length: size }, (_, i) => (i === 0 ? 0xfe : 0xff));
      return littleEndian ? bytes : bytes.reverse();
    };
    const metadata = [
      ...[...name('a'), 0x82, 2],
      ...[...name('b'), 3],
      ...[...name('c'), 0x84, 2],
      ...[...name('d'), 5],
      ...[...name('e'), 0x85, 2],
    ];
    const payload = [...integer(1), ...integer(2), ...integer(4), ...integer(8), ...integer(8)];
    expect(valuesOf(metadata, payload, littleEndian)).toEqual([-2, 0xfffe, -2, 2n ** 64n - 2n, -2n]);
  });

  it("that are ports, UUIDs or addresses are in network order, whatever the event's", () => {
    const metadata = [
      ...[...name('port'), 0x83, 16],
      ...[...name('ip'), 0x84, 17],
      ...[...name('ip6'), 0x86, 17],
      ...[...name('id'), 0x86, 15],
    ];
    const bytes = Array.from({ length: 16 }, (_, i) => i);
    const payload = [...uint16(443, false), ...[127, 0, 0, 1], ...bytes, ...bytes];
    const expected = [
      443,
      '127.0.0.1',
      '1:203:405:607:809:a0b:c0d:e0f',
      '00010203-0405-0607-0809-0a0b0c0d0e0f',
    ];
    expect(valuesOf(metadata, payload, true)).toEqual(expected);
    expect(valuesOf(metadata, payload, false)).toEqual(expected);
  });

  it('of boolean format are booleans, or numbers if neither 0 nor 1', () => {
    const metadata = [...name('a'), 0xc2, 7];
    expect(valuesOf(metadata, [...uint16(3), 0, 1, 2])).toEqual([[false, true, 2]]);
  });

  it('of counted bytes with a fixed-size format are null at length 0, otherwise as their length permits', () => {
    const metadata = [...name('a'), 0xcd, 2];
    const payload = [
      ...uint16(4),
      ...uint16(0),
      ...[...uint16(1), 0xff],
      ...[...uint16(2), 0xff, 0xff],
      ...[...uint16(3), 1, 2, 3],
    ];
    expect(valuesOf(metadata, payload)).toEqual([[null, -1, -1, Uint8Array.of(1, 2, 3)]]);
  });

  it('that are text are strings, whatever the width of their units', () => {
    const metadata = [
      ...[...name('z8'), 7],
      ...[...name('z16'), 8],
      ...[...name('z32'), 9],
      ...[...name('s8'), 10],
    ];
    const payload = [
      ...name('é'),
      ...[0xe9, 0, 0, 0],
      ...[0, 0xf6, 1, 0, 0, 0, 0, 0],
      ...uint16(2),
      ...text('hi'),
    ];
    expect(valuesOf(metadata, payload)).toEqual(['é', 'é', '😀', 'hi']);
  });

  it('that are structs may be repeated, by a count in the payload or in the metadata', () => {
    const member = [...name('i'), 2];
    expect(valuesOf([...name('s'), 0xc1, 1, ...member], [...uint16(2), 1, 2])).toMatchObject([
      [[{ name: 'i', value: 1 }], [{ name: 'i', value: 2 }]],
    ]);
    expect(
      valuesOf([...name('s'), 0xa1, 1, ...uint16(2), ...member, ...name('end'), 2], [1, 2, 3]),
    ).toMatchObject([[[{ value: 1 }], [{ value: 2 }]], 3]);
  });

  it('that are structs with more fields than there are end with the metadata', () => {
    expect(valuesOf([...name('s'), 0x81, 5, ...name('i'), 2], [1])).toMatchObject([
      [{ name: 'i', value: 1 }],
    ]);
  });

  it('keep the order and the names of the metadata, even if names repeat', () => {
    const data = eventBytes({ metadata: [...name('E'), ...name('a'), 2, ...name('a'), 2], payload: [1, 2] });
    const { fields } = decodeEventHeader(TRACEPOINT, data);
    expect(fields.map((field) => [field.name, field.value])).toEqual([
      ['a', 1],
      ['a', 2],
    ]);
    expect(payloadOf(fields)).toEqual({ a: 2 });
  });
});

describe('limits', () => {
  const nested = (depth: number) => [
    ...Array.from({ length: depth }, () => [...name('s'), 0x81, 1]).flat(),
    ...name('leaf'),
    2,
  ];

  it('structs may be nested 8 deep, not 9', () => {
    expect(() => valuesOf(nested(8), [1])).not.toThrow();
    expect(errorOf(() => valuesOf(nested(9), [1])).code).toBe(75);
  });

  it('255 top-level fields are read, but not 256', () => {
    const fields = (count: number) => Array.from({ length: count }, () => [...name('f'), 2]).flat();
    expect(valuesOf(fields(255), new Array(256).fill(0))).toHaveLength(255);
    expect(errorOf(() => valuesOf(fields(256), new Array(256).fill(0))).code).toBe(95);
  });

  it('an array of 4093 values is read, but not one of 4094', () => {
    const array = (count: number) =>
      valuesOf([...name('a'), 0x42], [...uint16(count), ...new Array(count).fill(0)]);
    expect(array(4093)).toEqual([new Array(4093).fill(0)]);
    expect(errorOf(() => array(4094)).code).toBe(7);
  });

  it('arrays of structs without bytes cannot keep the decoder busy', () => {
    const metadata = Array.from({ length: 8 }, () => [...name('s'), 0xa1, 1, ...uint16(0xffff)]).flat();
    expect(errorOf(() => valuesOf(metadata, [])).code).toBe(7);
  });
});

describe('an event that cannot be decoded', () => {
  const metadata = name('E');
  const activity = (size: number) => [...uint16(size), ...uint16(0x8002), ...new Array(size).fill(1)];
  const good = eventBytes({ metadata });

  it.each<[string, number, string, Uint8Array]>([
    ['has less than a header', 22, TRACEPOINT, good.subarray(0, 7)],
    ['has unknown flags', 95, TRACEPOINT, Uint8Array.from([0x0f, ...good.subarray(1)])],
    ['has another level than its tracepoint', 95, 'P_L4K1', good],
    ['is of a tracepoint without level and keyword', 95, 'sched_switch', good],
    ['has no metadata', 95, TRACEPOINT, Uint8Array.from([0x03, ...good.subarray(1)])],
    ['has metadata twice', 74, TRACEPOINT, eventBytes({ metadata, extensions: [2, 0, 1, 0x80, 65, 0] })],
    [
      'has activities twice',
      74,
      TRACEPOINT,
      eventBytes({ metadata, extensions: [...activity(16), ...activity(16)] }),
    ],
    ['has an activity of 17 bytes', 74, TRACEPOINT, eventBytes({ metadata, extensions: activity(17) })],
    ['has an extension of kind 0', 74, TRACEPOINT, eventBytes({ metadata, extensions: [0, 0, 0, 0x80] })],
    ['ends inside an extension', 74, TRACEPOINT, good.subarray(0, -1)],
    ['has a name without end', 74, TRACEPOINT, eventBytes({ metadata: text('E') })],
    ['has a field without encoding', 74, TRACEPOINT, eventBytes({ metadata: [...metadata, ...name('f')] })],
    ['has an unknown encoding', 74, TRACEPOINT, eventBytes({ metadata: [...metadata, ...name('f'), 14] })],
    ['has both array flags', 95, TRACEPOINT, eventBytes({ metadata: [...metadata, ...name('f'), 0x62] })],
    [
      'has a struct without fields',
      74,
      TRACEPOINT,
      eventBytes({ metadata: [...metadata, ...name('f'), 0x81, 0] }),
    ],
    [
      'has an array of constant length 0',
      74,
      TRACEPOINT,
      eventBytes({ metadata: [...metadata, ...name('f'), 0x22, 0, 0] }),
    ],
    ['has no payload for a field', 74, TRACEPOINT, eventBytes({ metadata: [...metadata, ...name('f'), 2] })],
    [
      'has a string without end',
      74,
      TRACEPOINT,
      eventBytes({ metadata: [...metadata, ...name('f'), 7], payload: text('ab') }),
    ],
    [
      'has less text than it counts',
      74,
      TRACEPOINT,
      eventBytes({ metadata: [...metadata, ...name('f'), 10], payload: [5, 0, ...text('ab')] }),
    ],
  ])('%s: error %i', (_, code, tracepoint, data) => {
    expect(errorOf(() => decodeEventHeader(tracepoint, data)).code).toBe(code);
  });

  it('is reported with the place and the problem in one sentence', () => {
    const data = eventBytes({ metadata: [...name('E'), ...name('count'), 4], payload: [1, 2] });
    const error = errorOf(() => decodeEventHeader(TRACEPOINT, data));
    expect(error.offset).toBe(data.length - 2);
    expect(error.message).toBe(
      `The payload ends inside field "count": 4 bytes are needed, 2 are left. (at byte ${data.length - 2})`,
    );
  });

  it('is reported by its first fault: a short payload before damaged metadata after it', () => {
    const metadataWithFaults = [...name('E'), ...name('f'), 4, ...name('g'), 0x62];
    expect(
      errorOf(() => decodeEventHeader(TRACEPOINT, eventBytes({ metadata: metadataWithFaults }))).code,
    ).toBe(74);
  });
});
