/** The description of an event and of its provider, byte for byte. */
import { describe, expect, it } from 'vitest';
import { InType, OutType } from '../../../lib/wire/tracelogging/constants.ts';
import { TraceLoggingError } from '../../../lib/wire/tracelogging/error.ts';
import { encodeMetadata } from '../../../lib/wire/tracelogging/metadata.ts';
import { parseMetadata } from '../../../lib/wire/tracelogging/parse-metadata.ts';
import {
  decodeProviderTraits,
  encodeProviderTraits,
} from '../../../lib/wire/tracelogging/provider-traits.ts';
import { decodeTag, encodeTag } from '../../../lib/wire/tracelogging/tag.ts';
import { hex } from '../eventheader/event-bytes.ts';

describe('a tag', () => {
  it.each([
    [0, '00'],
    [0x0fe00000, '7f'],
    [0x0ff00000, 'ff 40'],
    [0x0fffc000, 'ff 7f'],
    [0x0fffff80, 'ff ff 7f'],
    [0x0fff_ffff, 'ff ff ff 7f'],
    [1, '80 80 80 01'],
    [0x00200000, '01'],
    [0x1234, '80 80 a4 34'],
  ])('of %d is the bytes %s, and no more', (tag, bytes) => {
    expect(Uint8Array.from(encodeTag(tag))).toEqual(hex(bytes));
    expect(decodeTag(hex(`ee ${bytes} ee`), 1)).toEqual({ tag, end: 1 + hex(bytes).length });
  });

  it.each([
    ['80 00', 0],
    ['80 80 80 00', 0],
    ['81 80 80 00', 0x00200000],
    // Nothing of a tag is in bytes past the fourth.
    ['80 80 80 81 7f', 1],
  ])('can be read from the bytes %s, too, which other writers produce', (bytes, tag) => {
    expect(decodeTag(hex(bytes), 0)).toEqual({ tag, end: hex(bytes).length });
  });

  it('without an end is invalid', () => {
    expect(decodeTag(hex('80 80'), 0)).toBeUndefined();
    expect(decodeTag(hex('80'), 1)).toBeUndefined();
  });
});

describe('event metadata', () => {
  it('for an event without fields is size, tag and name', () => {
    expect(encodeMetadata('Empty', 0, [])).toEqual(hex('0900 00 456d70747900'));
  });

  it('has the tag in the shortest form', () => {
    expect(encodeMetadata('Tag', 0x0fffc000, [])).toEqual(hex('0800 ff7f 54616700'));
  });

  it('has an OutType byte if it is needed, and tags after it', () => {
    const fields = [
      { name: 'a', inType: InType.UInt8 },
      { name: 'b', inType: InType.UInt32, outType: OutType.Pid },
      { name: 'c', inType: InType.Int16, tag: 0x00200000 },
      { name: 'd', inType: InType.UInt16, outType: OutType.Port, tag: 1 },
    ];
    expect(encodeMetadata('E', 0, fields)).toEqual(
      hex('1900 00 4500 6100 04 6200 88 05 6300 85 80 01 6400 86 87 80808001'),
    );
  });

  it('supports arrays of constant and variable length', () => {
    const fields = [
      { name: 'v', inType: InType.UInt16, array: 'variable' },
      { name: 'c', inType: InType.UInt16, array: 0x102 },
      { name: 't', inType: InType.UInt16, outType: OutType.Hex, tag: 0x00200000, array: 3 },
    ] as const;
    expect(encodeMetadata('E', 0, fields)).toEqual(
      hex('1400 00 4500 7600 46 6300 26 0201 7400 a6 84 01 0300'),
    );
  });

  it('has the number of fields in a struct, followed by the fields', () => {
    const inner = { name: 'x', inType: InType.Double };
    const fields = [
      { name: 's', inType: InType.Struct, fields: [inner, { name: 'y', inType: InType.UInt8 }] },
      { name: 'r', inType: InType.Struct, fields: [inner], array: 'variable', tag: 0x00200000 },
    ] as const;
    expect(encodeMetadata('E', 0, fields)).toEqual(
      hex('1700 00 4500 7300 98 02 7800 0c 7900 04 7200 d8 81 01 7800 0c'),
    );
  });

  it('reads back as it was written', () => {
    const fields = [
      { name: 'é', inType: InType.CountedAnsiString, outType: OutType.Utf8, tag: 0x1234 },
      {
        name: 's',
        inType: InType.Struct,
        array: 'variable',
        fields: [
          { name: 'deep', inType: InType.Struct, fields: [{ name: 'x', inType: InType.Guid, array: 2 }] },
          { name: 'after', inType: InType.UInt8 },
        ],
      },
      { name: 'last', inType: InType.FileTime },
    ] as const;
    expect(parseMetadata(encodeMetadata('Event', 0x1234, fields))).toMatchObject({
      name: 'Event',
      tag: 0x1234,
      fields: [
        { name: 'é', inType: 23, outType: 35, tag: 0x1234 },
        {
          name: 's',
          inType: 24,
          outType: 2,
          array: 'variable',
          members: [
            { name: 'deep', members: [{ name: 'x', inType: 15, array: 2 }] },
            { name: 'after', inType: 4 },
          ],
        },
        { name: 'last', inType: 17 },
      ],
    });
  });

  it('ends where its size says, even if more bytes follow', () => {
    expect(parseMetadata(hex('0900 00 456d70747900 ff'))).toEqual({ name: 'Empty', tag: 0, fields: [] });
  });

  it('may claim more fields in a struct than there are', () => {
    const { fields } = parseMetadata(hex('0c00 00 4500 7300 98 05 7800 04'));
    expect(fields).toMatchObject([{ name: 's', members: [{ name: 'x' }] }]);
  });

  it('may describe a field with a custom layout, followed by others', () => {
    expect(parseMetadata(hex('1000 00 4500 6300 64 0300 aabbcc 7800 04'))).toMatchObject({
      fields: [
        { name: 'c', array: 'custom' },
        { name: 'x', inType: 4 },
      ],
    });
  });

  it.each([
    ['', 'gives its size as 0 of 0 bytes'],
    ['01', 'gives its size as 0 of 1 bytes'],
    ['0100 00', 'gives its size as 1 of 3 bytes'],
    ['0a00 00 4500', 'gives its size as 10 of 5 bytes'],
    ['0300 80', 'The event tag has no end.'],
    ['0400 00 45', 'The event name has no end.'],
    ['0600 00 4500 66', 'A field name has no end.'],
    ['0700 00 4500 6600', 'The metadata ends inside field "f".'],
    ['0800 00 4500 6600 84', 'The metadata ends inside field "f".'],
    ['0900 00 4500 6600 84 80', 'The tag of field "f" has no end.'],
    ['0900 00 4500 6600 24 01', 'The metadata ends inside field "f".'],
    ['0b00 00 4500 6600 64 0200 aa', 'The metadata ends inside field "f".'],
  ])('of the bytes %s is rejected: %s', (bytes, message) => {
    expect(() => parseMetadata(hex(bytes))).toThrow(TraceLoggingError);
    expect(() => parseMetadata(hex(bytes))).toThrow(message);
  });

  it('with endlessly nested structs is rejected', () => {
    const levels = 1000;
    const bytes = Uint8Array.from([0, 0, 0, 0, ...Array.from({ length: levels }, () => [0, 0x98, 1]).flat()]);
    new DataView(bytes.buffer).setUint16(0, bytes.length, true);
    expect(() => parseMetadata(bytes)).toThrow('Structs are nested more than 32 levels deep.');
  });
});

describe('provider traits', () => {
  const GROUP = '00112233-4455-6677-8899-aabbccddeeff';

  it('contain the provider name', () => {
    const bytes = hex('1800 4d79436f6d70616e792e4d79436f6d706f6e656e74 00');
    expect(encodeProviderTraits({ name: 'MyCompany.MyComponent' })).toEqual(bytes);
    expect(decodeProviderTraits(bytes)).toEqual({ name: 'MyCompany.MyComponent' });
  });

  it('contain the GUID of its group after it', () => {
    const bytes = hex(
      '2b00 4d79436f6d70616e792e4d79436f6d706f6e656e74 00 1300 01 33221100554477668899aabbccddeeff',
    );
    expect(encodeProviderTraits({ name: 'MyCompany.MyComponent', groupGuid: GROUP })).toEqual(bytes);
    expect(decodeProviderTraits(bytes)).toEqual({ name: 'MyCompany.MyComponent', groupGuid: GROUP });
  });

  it('may contain others, which are skipped', () => {
    const bytes = hex('1c00 5000 0500 02 aabb 1300 01 33221100554477668899aabbccddeeff');
    expect(decodeProviderTraits(bytes)).toEqual({ name: 'P', groupGuid: GROUP });
  });

  it.each([
    ['', 'give their size as 0 of 0 bytes'],
    ['0500 5000', 'give their size as 5 of 4 bytes'],
    ['0400 5050', "The provider's name has no end."],
    ['0600 5000 0300', 'A trait gives its size as 0 of 2 bytes.'],
    ['0700 5000 0200 01', 'A trait gives its size as 2 of 3 bytes.'],
    ['0700 5000 0400 01', 'A trait gives its size as 4 of 3 bytes.'],
  ])('of the bytes %s are rejected: %s', (bytes, message) => {
    expect(() => decodeProviderTraits(hex(bytes))).toThrow(TraceLoggingError);
    expect(() => decodeProviderTraits(hex(bytes))).toThrow(message);
  });
});
