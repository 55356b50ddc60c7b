/** Complete events, byte for byte: the worked vectors, checked with Microsoft's encoder and both its decoders. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../../lib/activity/guid.ts';
import { amidEncoding, isEncoding } from '../../../lib/wire/event-encoder.ts';
import { Encoding, Format } from '../../../lib/wire/eventheader/constants.ts';
import { EventHeaderEncoder } from '../../../lib/wire/eventheader/encode.ts';
import { encodeMetadata } from '../../../lib/wire/eventheader/metadata.ts';
import { encodePrefix, setActivityIds } from '../../../lib/wire/eventheader/prefix.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import { takeFaults } from '../../../lib/wire/values/faults.ts';
import { decodeEventHeader } from './decode-event.ts';
import { encode, schemaOf } from './encoded-event.ts';
import { hex } from './event-bytes.ts';

const ACTIVITY = Guid.parse('00010203-0405-0607-0809-0a0b0c0d0e0f');
const RELATED = Guid.parse('10111213-1415-1617-1819-1a1b1c1d1e1f');

describe('an event', () => {
  it('without fields is a header and its name', () => {
    const encoder = new EventHeaderEncoder(schemaOf({}, { name: 'Empty' }));
    expect(encode(encoder, {})).toEqual(hex('07 00 0000 0000 00 04 0600 0100 456d70747900'));
  });

  it('with fields contains their descriptions, and then their values', () => {
    const encoder = new EventHeaderEncoder(schemaOf({ n: 'int32', s: 'string' }, { name: 'Hello' }));
    expect(encode(encoder, { n: 42, s: 'hi' })).toEqual(
      hex('0700000000000004 0d00 0100 48656c6c6f00 6e00 84 02 7300 0a 2a000000 0200 6869'),
    );
  });

  it('in an activity has its id before the description, in the order of its text', () => {
    const encoder = new EventHeaderEncoder(schemaOf({}, { name: 'Work', opcode: 1 }));
    expect(encode(encoder, {}, ACTIVITY)).toEqual(
      hex('0700000000000104 1000 0280 000102030405060708090a0b0c0d0e0f 0500 0100 576f726b00'),
    );
  });

  it('with a related activity has that id after its own', () => {
    const header = { id: 7, version: 2, tag: 0x1234, opcode: 1 };
    const encoder = new EventHeaderEncoder(schemaOf({}, { name: 'Ev1', ...header }));
    expect(encode(encoder, {}, ACTIVITY, RELATED)).toEqual(
      hex(`07 02 0700 3412 01 04 2000 0280 000102030405060708090a0b0c0d0e0f
        101112131415161718191a1b1c1d1e1f 0400 0100 45763100`),
    );
  });

  it('has only its own ids, whatever the previous event had', () => {
    const encoder = new EventHeaderEncoder(schemaOf({ n: 'uint8' }));
    const plain = encode(encoder, { n: 1 });
    const withActivity = encode(encoder, { n: 1 }, ACTIVITY);
    const withRelated = encode(encoder, { n: 1 }, ACTIVITY, RELATED);
    const other = new EventHeaderEncoder(schemaOf({ text: 'string' }, { name: 'Other' }));
    encode(other, { text: 'in between' }, RELATED);
    expect(encode(encoder, { n: 1 })).toEqual(plain);
    expect(encode(encoder, { n: 1 }, ACTIVITY)).toEqual(withActivity);
    expect(encode(encoder, { n: 1 }, ACTIVITY, RELATED)).toEqual(withRelated);
    expect(encode(encoder, { n: 1 }, RELATED, ACTIVITY)).not.toEqual(withRelated);
  });

  it('has every type of field in the encoding and format by which tools know it', () => {
    const fields = {
      u8: 'uint8',
      b: 'bool',
      f: 'double',
      g: 'guid',
      ip: 'ipAddress',
      port: 'port',
      w: 'utf16',
      a: 'uint16[]',
      st: { x: 'binary' },
    } as const;
    const encoder = new EventHeaderEncoder(schemaOf(fields, { name: 'All', level: 5 }));
    const payload = {
      u8: 255,
      b: true,
      f: 3.14,
      g: '00112233-4455-6677-8899-aabbccddeeff',
      ip: '127.0.0.1',
      port: 443,
      w: 'hi',
      a: [1, 2, 3],
      st: { x: hex('dead') },
    };
    // As in the vector, but for the address, which is counted (8d), because it may be of IPv6.
    expect(encode(encoder, payload)).toEqual(
      hex(`0700000000000005
        2e00 0100 416c6c00 753800 02 6200 82 07 6600 85 08 6700 86 0f 697000 8d 11 706f727400 83 10
        7700 0b 6100 43 737400 81 01 7800 0d
        ff 01 1f85eb51b81e0940 00112233445566778899aabbccddeeff 0400 7f000001 01bb
        0200 68006900 0300 0100 0200 0300 0200 dead`),
    );
  });
});

describe('the prefix and the metadata', () => {
  it('match the vector with tags, arrays and structs', () => {
    const metadata = encodeMetadata('Ev1', [
      { name: 'a', encoding: Encoding.Value32, format: Format.SignedInt },
      { name: 's', encoding: Encoding.StringLength16Char8 },
      {
        name: 'st',
        encoding: Encoding.Struct,
        fields: [
          { name: 'z', encoding: Encoding.ZStringChar16, array: 'variable', tag: 0x55 },
          { name: 'b', encoding: Encoding.BinaryLength16Char8, format: Format.IpAddress },
        ],
      },
    ]);
    const prefix = encodePrefix({ id: 7, version: 2, tag: 0x1234, opcode: 1, level: 4 }, 32, metadata);
    setActivityIds(new DataView(prefix.buffer), 0, ACTIVITY, RELATED);
    expect(prefix).toEqual(
      hex(`07 02 0700 3412 01 04 2000 0280 000102030405060708090a0b0c0d0e0f 101112131415161718191a1b1c1d1e1f
        1a00 0100 45763100 6100 84 02 7300 0a 737400 81 02 7a00 c8 80 5500 6200 8d 11`),
    );
    const payload = hex('ffffffff 0300 616263 0200 4100 4200 0000 4300 0000 0400 7f000001');
    const event = decodeEventHeader('MyProv_L4K1fGgrp', Uint8Array.from([...prefix, ...payload]));
    expect(event).toMatchObject({
      provider: 'MyProv',
      name: 'Ev1',
      keyword: 0x1fn,
      tag: 0x1234,
      id: 7,
      version: 2,
      opcode: 1,
      activityId: ACTIVITY.toString(),
      relatedActivityId: RELATED.toString(),
    });
    expect(event.fields[2]?.value).toMatchObject([
      { name: 'z', tag: 0x55, value: ['AB', 'C'] },
      { name: 'b', value: '127.0.0.1' },
    ]);
  });
});

describe('an event that is too large for the buffer', () => {
  const LIMIT = 65536;

  it.each([
    ['string', (size: number) => 'x'.repeat(size)],
    ['string', (size: number) => 'é'.repeat(size)],
    ['utf16', (size: number) => 'x'.repeat(size)],
    ['json', (size: number) => 'x'.repeat(size)],
    ['binary', (size: number) => new Uint8Array(size)],
    ['uint32[]', (size: number) => new Uint32Array(size)],
    ['string[]', (size: number) => new Array(size).fill('some text')],
    ['guid[]', (size: number) => new Array(size).fill('00000000-0000-0000-0000-000000000000')],
  ] as const)('because of a %s is reported, and nothing is written past the buffer', (type, make) => {
    const encoder = new EventHeaderEncoder(schemaOf({ f: type, after: 'string' }));
    for (const size of [LIMIT, 10 * LIMIT]) {
      encode(encoder, { f: make(size), after: 'y'.repeat(30) });
      expect(takeFaults()).toEqual({ badValues: 0, tooLarge: true });
    }
    // The next one is whole again.
    encode(encoder, { f: make(1), after: '' });
    expect(takeFaults()).toBeUndefined();
  });

  it.each(['é', '名'])(
    'because of text that would fit by characters but not in UTF-8 (%s) is reported',
    (character) => {
      const encoder = new EventHeaderEncoder(schemaOf({ f: 'string', after: 'string' }));
      encode(encoder, { f: character.repeat(40_000), after: 'y' });
      expect(takeFaults()).toEqual({ badValues: 0, tooLarge: true });
    },
  );

  it('is recognised from one byte past the limit on', () => {
    const encoder = new EventHeaderEncoder(schemaOf({ f: 'binary' }));
    const fixed = encoder.encode({ f: new Uint8Array(0) }, undefined, undefined);
    expect(encoder.encode({ f: new Uint8Array(LIMIT - fixed) }, undefined, undefined)).toBe(LIMIT);
    expect(takeFaults()).toBeUndefined();
    encoder.encode({ f: new Uint8Array(LIMIT - fixed + 1) }, undefined, undefined);
    expect(takeFaults()).toEqual({ badValues: 0, tooLarge: true });
  });

  it('is recognised for many fields together, the last of which have fixed sizes', () => {
    const fields = Object.fromEntries([
      ['text', 'string' as const],
      ...Array.from({ length: 254 }, (_, index) => [`g${index}`, 'guid' as const]),
    ]);
    const encoder = new EventHeaderEncoder(schemaOf(fields));
    const size = encoder.encode({ text: 'x'.repeat(60_000) }, undefined, undefined);
    takeFaults();
    expect(size).toBeLessThanOrEqual(scratch.length);
  });
});

describe('an event written while the payload of another one is read', () => {
  it('leaves the other one unchanged', () => {
    const outer = new EventHeaderEncoder(schemaOf({ a: 'uint8', b: 'string', c: 'uint8' }));
    const inner = new EventHeaderEncoder(schemaOf({ x: 'string', y: 'uint8' }, { name: 'Inner' }));
    const expected = encode(outer, { a: 1, b: 'text', c: 3 }, ACTIVITY);
    const innerExpected = encode(inner, { x: 'long'.repeat(50), y: 2 }, RELATED, ACTIVITY);
    let innerBytes: Uint8Array | undefined;
    let innerFaults: unknown;
    const payload = {
      a: 300,
      get b() {
        expect(isEncoding()).toBe(true);
        innerBytes = amidEncoding(() => {
          expect(isEncoding()).toBe(false);
          const bytes = encode(inner, { x: 'long'.repeat(50), y: 2 }, RELATED, ACTIVITY);
          innerFaults = takeFaults();
          return bytes;
        });
        expect(isEncoding()).toBe(true);
        return 'text';
      },
      c: 3,
    };
    const bytes = encode(outer, payload, ACTIVITY);
    expect(isEncoding()).toBe(false);
    expected[expected.length - 8] = 255;
    expect(bytes).toEqual(expected);
    expect(innerBytes).toEqual(innerExpected);
    // Each has its own faults.
    expect(innerFaults).toBeUndefined();
    expect(takeFaults()).toEqual({ badValues: 1, tooLarge: false });
  });

  it('may throw, and the other one continues', () => {
    const encoder = new EventHeaderEncoder(schemaOf({ a: 'uint8', b: 'uint8' }));
    const payload = {
      a: 1,
      get b() {
        expect(() =>
          amidEncoding(() => {
            throw new Error('in the middle');
          }),
        ).toThrow('in the middle');
        return 2;
      },
    };
    expect([...encode(encoder, payload).slice(-2)]).toEqual([1, 2]);
    expect(isEncoding()).toBe(false);
  });
});

describe('a payload whose reading throws', () => {
  it('throws, and the next event is complete', () => {
    const encoder = new EventHeaderEncoder(schemaOf({ a: 'uint8', b: 'uint8' }));
    const payload = {
      a: 1,
      get b(): number {
        throw new Error('no b');
      },
    };
    expect(() => encoder.encode(payload, undefined, undefined)).toThrow('no b');
    expect(isEncoding()).toBe(false);
    takeFaults();
    expect([...encode(encoder, { a: 3, b: 4 }).slice(-2)]).toEqual([3, 4]);
  });
});
