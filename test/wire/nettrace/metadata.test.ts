import { describe, expect, it } from 'vitest';
import { decode, describedV4, describedV6, field } from './described.ts';
import {
  type Bytes,
  block,
  eventsOf,
  flat,
  guid,
  sized,
  u16,
  u32,
  u64,
  uncompressedBlock,
  uncompressedEvent,
  utf8,
  utf16,
  v6Trace,
  varuint,
} from './nettrace-bytes.ts';

describe('metadata of version 6', () => {
  it('contains what is optional', () => {
    const metadata = describedV6(
      [],
      [
        [1, 10],
        [3, u64(0x30)],
        [4, utf8('{a}')],
        [5, utf8('what it is')],
        [6, utf8('k'), utf8('v')],
        [7, guid(9)],
        [8, 4],
        [9, 2],
      ],
    );
    expect(metadata).toMatchObject({
      provider: 'Provider',
      providerGuid: '00000009-0000-0000-0000-000000000000',
      eventId: 16,
      name: 'Described',
      opcode: 10,
      keywords: 0x30n,
      messageTemplate: '{a}',
      description: 'what it is',
      level: 4,
      version: 2,
    });
    expect([...metadata.properties]).toEqual([['k', 'v']]);
  });

  it('may be longer than known, everywhere', () => {
    const rows = sized(u16)(
      varuint(2),
      utf8('Provider'),
      varuint(16),
      utf8('Described'),
      u16(1),
      sized(u16)(field('a', 9), [1, 2, 3]),
      sized(u16)(8, 4),
      [4, 5, 6],
    );
    const event = uncompressedBlock(uncompressedEvent({ time: 1, metadataId: 2 }));
    const [found] = eventsOf(v6Trace(block(3, u16(3), [7, 7, 7], rows), event));
    expect(found?.metadata).toMatchObject({ name: 'Described', level: 4, fields: [{ name: 'a' }] });
  });

  it.each<[string, Bytes, RegExp]>([
    ['a type that is not known', [99], /field type 99 does not exist/],
    ['an array elsewhere of what has no size', [25, 18], /Type 18 has no size/],
    ['types too deep in each other', [Array(50).fill(19), 9], /nested more than 32 levels/],
  ])('with %s has no fields, and says why', (_, type, problem) => {
    const metadata = describedV6([field('x', type)]);
    expect(metadata.fields).toEqual([]);
    expect(metadata.fieldsProblem).toMatch(problem);
    expect(metadata.name).toBe('Described');
  });
});

describe('metadata of version 4', () => {
  it('has keywords, version, level, and fields with the type before the name', () => {
    const metadata = describedV4(
      u32(2),
      u32(9),
      utf16('a'),
      u32(1),
      [u32(1), u32(18), utf16('c')],
      utf16('b'),
    );
    expect(metadata).toMatchObject({ keywords: 0x30n, version: 2, level: 4, opcode: undefined });
    expect(decode(metadata, u32(1), utf16('text'))).toEqual({
      payload: { a: 1, b: { c: 'text' } },
      problem: undefined,
    });
  });

  it('may end before its fields', () => {
    expect(describedV4().fields).toEqual([]);
  });

  it('has tags: an opcode, fields of more types, and unknown ones, which are skipped', () => {
    const tag = (kind: number, ...bytes: Bytes): Bytes => {
      const body = flat(bytes);
      return [u32(body.length), kind, [...body]];
    };
    const sizedField = (...bytes: Bytes): Bytes => {
      const body = flat(bytes);
      return [u32(body.length + 4), [...body]];
    };
    const metadata = describedV4(
      u32(0),
      tag(1, 10, 99),
      tag(7, [1, 2, 3]),
      tag(
        2,
        u32(2),
        sizedField(utf16('a'), u32(19), u32(9), [1, 2, 3, 4]),
        sizedField(utf16('b'), u32(1), u32(1), sizedField(utf16('c'), u32(18))),
        [5, 6],
      ),
    );
    expect(metadata.opcode).toBe(10);
    expect(metadata.fieldsProblem).toBeUndefined();
    expect(decode(metadata, u16(2), u32(1), u32(2), utf16('x')).payload).toEqual({
      a: [1, 2],
      b: { c: 'x' },
    });
  });

  it.each<[string, Bytes, RegExp]>([
    ['a type of version 6', [u32(1), u32(20), utf16('x')], /field type 20 does not exist/],
    [
      'an array without the tag for it',
      [u32(1), u32(19), u32(9), utf16('x')],
      /field type 19 does not exist/,
    ],
    ['more fields than there are', [u32(0x7fff_ffff), u32(9), utf16('x')], /bytes are needed/],
    ['fewer than no fields', [u32(-1)], /-1 fields/],
    ['a tag that is longer than it is', [u32(0), u32(100), 1], /100 bytes are needed/],
    ['structs too deep in each other', [Array(50).fill([u32(1), u32(1)])], /nested more than 32 levels/],
  ])('with %s has no fields, and says why', (_, fields, problem) => {
    const metadata = describedV4(fields);
    expect(metadata.fields).toEqual([]);
    expect(metadata.fieldsProblem).toMatch(problem);
  });
});
