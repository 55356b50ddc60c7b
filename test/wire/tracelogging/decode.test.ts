/** Decoding events of every type, including those that tracewright does not write, and bytes that are not an event. */
import { describe, expect, it } from 'vitest';
import { payloadOf, type Value } from '../../../lib/wire/decoded-field.ts';
import { InType, OutType } from '../../../lib/wire/tracelogging/constants.ts';
import { TraceLoggingError } from '../../../lib/wire/tracelogging/error.ts';
import { encodeMetadata, type FieldMetadata } from '../../../lib/wire/tracelogging/metadata.ts';
import { hex } from '../eventheader/event-bytes.ts';
import { decodeTraceLogging } from './decode-event.ts';

const decode = (fields: readonly FieldMetadata[], payload: string) =>
  payloadOf(decodeTraceLogging(encodeMetadata('E', 0, fields), hex(payload)).fields);

describe('an event', () => {
  it('written by a .NET EventSource reads back as written', () => {
    const metadata = hex('2300 00 48656c6c6f 00 610007 620001 630047 64009802 78000c 79008403 650011 67000f');
    const payload = hex(
      `01000000 78000000 0300 010000000200000003000000 000000000000f83f 01 80c04858283dda01
       00000000000000000000000000000000`,
    );
    const event = decodeTraceLogging(metadata, payload);
    expect(event.name).toBe('Hello');
    expect(structuredClone(payloadOf(event.fields))).toEqual({
      a: 1,
      b: 'x',
      c: [1, 2, 3],
      d: { x: 1.5, y: true },
      e: 0x01da3d285848c080n,
      g: '00000000-0000-0000-0000-000000000000',
    });
  });

  it('contains the types and tags of its fields', () => {
    const field = { name: 'f', inType: InType.UInt32, outType: OutType.Pid, tag: 7 };
    const event = decodeTraceLogging(encodeMetadata('E', 9, [field]), hex('01000000'));
    expect(event).toEqual({ name: 'E', tag: 9, fields: [{ ...field, shape: 'value', value: 1 }] });
  });

  it('may have bytes after its last field', () => {
    expect(decode([{ name: 'f', inType: InType.UInt8 }], '05 ffff')).toEqual({ f: 5 });
  });
});

describe('a value', () => {
  it.each<[keyof typeof InType, keyof typeof OutType, string, Value]>([
    ['Null', 'Default', '', null],
    ['UnicodeString', 'Default', '6100e900 0000', 'aé'],
    ['UnicodeString', 'Xml', '3c00 0000', '<'],
    ['AnsiString', 'Default', '61e9 00', 'aé'],
    ['AnsiString', 'Utf8', '61c3a9 00', 'aé'],
    ['Int8', 'Default', 'ff', -1],
    ['Int8', 'String', '41', 'A'],
    ['UInt8', 'Default', 'ff', 255],
    ['UInt8', 'String', '41', 'A'],
    ['UInt8', 'Boolean', '01', true],
    ['UInt8', 'Boolean', '00', false],
    ['UInt8', 'Boolean', '02', 2],
    ['UInt8', 'Hex', 'ff', 255],
    ['UInt8', 'Signed', 'ff', -1],
    ['Int16', 'Default', 'feff', -2],
    ['Int16', 'Unsigned', 'feff', 0xfffe],
    ['UInt16', 'Default', 'feff', 0xfffe],
    ['UInt16', 'String', 'ac20', '€'],
    ['UInt16', 'Port', '01bb', 443],
    ['Int32', 'Default', '05400080', -2147467259],
    ['Int32', 'HResult', '05400080', -2147467259],
    ['Int32', 'NtStatus', '050000c0', -1073741819],
    ['Int32', 'Boolean', '01000000', true],
    ['Int32', 'Hex', 'ffffffff', 0xffffffff],
    ['UInt32', 'Default', 'ffffffff', 0xffffffff],
    ['UInt32', 'Pid', '7b000000', 123],
    ['UInt32', 'Win32Error', '05000000', 5],
    ['UInt32', 'Ipv4', '7f000001', '127.0.0.1'],
    ['UInt32', 'Port', '01000000', 1],
    ['Int64', 'Default', 'ffffffffffffffff', -1n],
    ['UInt64', 'Default', 'ffffffffffffffff', 2n ** 64n - 1n],
    ['UInt64', 'CodePointer', '0100000000000000', 1n],
    ['Float', 'Default', '0000c0bf', -1.5],
    ['Double', 'Default', '000000000000f83f', 1.5],
    ['Bool32', 'Default', '01000000', true],
    ['Bool32', 'Default', '00000000', false],
    ['Bool32', 'Default', 'ffffffff', -1],
    ['Binary', 'Default', '0200 dead', hex('dead')],
    ['Binary', 'Ipv6', '1000 00000000000000000000000000000001', '::1'],
    ['Binary', 'Ipv6', '0100 00', hex('00')],
    ['Binary', 'SocketAddress', '0200 0200', hex('0200')],
    ['Guid', 'Default', '33221100554477668899aabbccddeeff', '00112233-4455-6677-8899-aabbccddeeff'],
    ['FileTime', 'Default', '80c04858283dda01', 0x01da3d285848c080n],
    ['FileTime', 'DateTimeUtc', '80c04858283dda01', 0x01da3d285848c080n],
    ['SystemTime', 'Default', 'e807 0100 0300 1f00 0c00 0500 0900 0700', '2024-01-31T12:05:09.007'],
    ['Sid', 'Default', '01 01 000000000005 12000000', 'S-1-5-18'],
    ['Sid', 'Default', '01 02 000000000005 20000000 20020000', 'S-1-5-32-544'],
    ['Sid', 'Default', '01 00 010000000000', 'S-1-1099511627776'],
    ['HexInt32', 'Default', 'ffffffff', 0xffffffff],
    ['HexInt64', 'Default', 'ffffffffffffffff', 2n ** 64n - 1n],
    ['CountedString', 'Default', '0400 61000000', 'a\0'],
    ['CountedString', 'Json', '0200 3100', '1'],
    // Half a unit at the end is none.
    ['CountedString', 'Default', '0300 610062', 'a'],
    ['CountedAnsiString', 'Default', '0200 61e9', 'aé'],
    ['CountedAnsiString', 'Utf8', '0300 61c3a9', 'aé'],
    ['CountedAnsiString', 'Json', '0400 22c3a922', '"é"'],
    ['CountedBinary', 'Default', '0000', hex('')],
    ['CountedBinary', 'Default', '0100 ff', hex('ff')],
    ['CountedBinary', 'Signed', '0000', null],
    ['CountedBinary', 'Signed', '0200 feff', -2],
    ['CountedBinary', 'Unsigned', '0200 feff', 0xfffe],
    ['CountedBinary', 'Hex', '0800 0100000000000000', 1n],
    ['CountedBinary', 'Boolean', '0100 01', true],
    ['CountedBinary', 'Port', '0200 01bb', 443],
    ['CountedBinary', 'Pid', '0400 7b000000', 123],
    ['CountedBinary', 'FileTime', '0800 80c04858283dda01', 0x01da3d285848c080n],
    ['CountedBinary', 'Ipv6', '1000 00000000000000000000000000000001', '::1'],
    ['CountedBinary', 'Ipv4', '0400 7f000001', '127.0.0.1'],
    // A length that no such value has.
    ['CountedBinary', 'Signed', '0300 010203', hex('010203')],
  ])('of %s shown as %s in the bytes %j is %s', (inType, outType, payload, value) => {
    const fields = [
      { name: 'f', inType: InType[inType], outType: OutType[outType] },
      { name: 'end', inType: InType.UInt16 },
    ];
    expect(decode(fields, `${payload} 3412`)).toEqual({ f: value, end: 0x1234 });
  });

  it('that is NUL-terminated text may lack its NUL at the end of the payload', () => {
    expect(decode([{ name: 'f', inType: InType.UnicodeString }], '6100 6200')).toEqual({ f: 'ab' });
    expect(decode([{ name: 'f', inType: InType.AnsiString }], '61')).toEqual({ f: 'a' });
    expect(decode([{ name: 'f', inType: InType.UnicodeString }], '')).toEqual({ f: '' });
  });
});

describe('an array', () => {
  it('has its count in the payload or in the metadata', () => {
    const fields = [
      { name: 'v', inType: InType.UInt16, array: 'variable' },
      { name: 'c', inType: InType.UnicodeString, array: 2 },
      { name: 'none', inType: InType.Guid, array: 'variable' },
    ] as const;
    expect(decode(fields, '0200 0100 0200 6100 0000 0000 0000')).toEqual({
      v: [1, 2],
      c: ['a', ''],
      none: [],
    });
  });

  it('may contain structs, with either kind of count', () => {
    const members = [
      { name: 'x', inType: InType.UInt8 },
      { name: 'a', inType: InType.UInt8, array: 'variable' },
    ] as const;
    const fields = [
      { name: 'v', inType: InType.Struct, fields: members, array: 'variable' },
      { name: 'c', inType: InType.Struct, fields: members, array: 2 },
    ] as const;
    expect(structuredClone(decode(fields, '0100 07 0100 08 01 0000 02 0000'))).toEqual({
      v: [{ x: 7, a: [8] }],
      c: [
        { x: 1, a: [] },
        { x: 2, a: [] },
      ],
    });
  });

  it('of empty arrays is abandoned', () => {
    const nulls = { name: 'n', inType: InType.Null, array: 65535 };
    const fields = [{ name: 's', inType: InType.Struct, array: 65535, fields: [nulls] }];
    expect(() => decode(fields, '')).toThrow('The event has more values than fit into its 0 bytes.');
  });
});

describe('bytes that are not an event', () => {
  it.each<[FieldMetadata, string, string]>([
    [
      { name: 'f', inType: InType.UInt32 },
      '010203',
      '"f": 4 bytes are needed, 3 are left. (at byte 0 of the payload)',
    ],
    [{ name: 'f', inType: InType.CountedString }, '01', '"f": 2 bytes are needed, 1 are left.'],
    [
      { name: 'f', inType: InType.CountedString },
      '0300 0102',
      '"f": 3 bytes are needed, 2 are left. (at byte 2 of',
    ],
    [
      { name: 'f', inType: InType.UInt8, array: 'variable' },
      '0300 0102',
      '"f": 1 bytes are needed, 0 are left.',
    ],
    [{ name: 'f', inType: InType.Sid }, '0101', '"f": 8 bytes are needed, 2 are left.'],
    [{ name: 'f', inType: InType.Sid }, '0101000000000005', '"f": 12 bytes are needed, 8 are left.'],
    [
      { name: 'f', inType: 16 as InType },
      '0000000000000000',
      'unknown InType 16. (at byte 7 of the metadata)',
    ],
    [{ name: 'f', inType: 31 as InType }, '00', 'Field "f" has the unknown InType 31.'],
  ])('for %j are rejected: %s: %s', (field, payload, message) => {
    expect(() => decode([field], payload)).toThrow(TraceLoggingError);
    expect(() => decode([field], payload)).toThrow(message);
  });

  it('because a field has a custom layout are rejected', () => {
    expect(() => decodeTraceLogging(hex('0d00 00 4500 6300 64 0300 aabbcc'), hex('01'))).toThrow(
      'Field "c" has a custom layout.',
    );
  });
});
