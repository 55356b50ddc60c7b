/** Events described by a manifest, byte for byte, and what a manifest cannot describe. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../../lib/activity/guid.ts';
import type { FieldDefinitions } from '../../../lib/source/fields.ts';
import { Channel, encodeEventDescriptor } from '../../../lib/wire/etw/event-descriptor.ts';
import { MESSAGE_EVENT } from '../../../lib/wire/manifest/constants.ts';
import { ManifestEncoder, manifestDescriptor } from '../../../lib/wire/manifest/encode.ts';
import { manifestNamesProblem, manifestProblem } from '../../../lib/wire/manifest/problem.ts';
import { type EventSchema, FIELD_TYPES, type FieldType } from '../../../lib/wire/schema.ts';
import { takeFaults } from '../../../lib/wire/values/faults.ts';
import { write } from '../etw/written-event.ts';
import { schemaOf } from '../eventheader/encoded-event.ts';
import { hex } from '../eventheader/event-bytes.ts';

const ACTIVITY = Guid.parse('00010203-0405-0607-0809-0a0b0c0d0e0f');
const RELATED = Guid.parse('10111213-1415-1617-1819-1a1b1c1d1e1f');

const encoderOf = (fields: FieldDefinitions) => new ManifestEncoder(schemaOf(fields));
const payloadOf = (type: FieldType, value: unknown) => write(encoderOf({ f: type }), { f: value }).payload;

describe('an event', () => {
  it('has no metadata, and its ids in struct order', () => {
    expect(write(encoderOf({ n: 'uint8' }), { n: 5 }, ACTIVITY, RELATED)).toEqual({
      idFlags: 3,
      activityId: hex('03020100 0504 0706 08090a0b0c0d0e0f'),
      relatedActivityId: hex('13121110 1514 1716 18191a1b1c1d1e1f'),
      metadata: hex(''),
      payload: hex('05'),
    });
  });

  it('contains its fields in sequence, without anything between them', () => {
    const encoder = encoderOf({ a: 'uint8', text: 'string', b: 'bool', c: 'uint16' });
    expect(write(encoder, { a: 1, text: 'hi', b: true, c: 2 }).payload).toEqual(
      hex('01 680069000000 01000000 0200'),
    );
  });

  it('has no channel, and the session keywords besides its own, in its descriptor', () => {
    const numbers = { id: 7, version: 2, level: 4, opcode: 1, task: 9, keywords: 0x1fn };
    expect(manifestDescriptor(schemaOf({}, numbers))).toEqual(hex('0700 02 00 04 01 0900 1f00000000f00000'));
  });

  it('about a failure passes every level and keyword', () => {
    const ofAll = { task: 0, keywords: 2n ** 64n - 1n, channel: Channel.None };
    const descriptor = encodeEventDescriptor({ ...MESSAGE_EVENT, ...ofAll });
    expect(descriptor).toEqual(hex('0000 00 00 00 00 0000 ffffffffffffffff'));
    expect(write(new ManifestEncoder(MESSAGE_EVENT), { message: 'no' }).payload).toEqual(hex('6e006f000000'));
  });
});

describe('a field', () => {
  it.each<[FieldType, unknown, string]>([
    ['bool', true, '01000000'],
    ['bool', false, '00000000'],
    ['int8', -1, 'ff'],
    ['int16', -2, 'feff'],
    ['int32', -3, 'fdffffff'],
    ['int64', -4n, 'fcffffffffffffff'],
    ['uint8', 1, '01'],
    ['uint16', 0x102, '0201'],
    ['uint32', 0x1020304, '04030201'],
    ['uint64', 1n, '0100000000000000'],
    ['hex8', 0xab, 'ab'],
    ['hex16', 0xabcd, 'cdab'],
    ['hex32', 0xabcdef01, '01efcdab'],
    ['hex64', 0xabn, 'ab00000000000000'],
    ['float', -1.5, '0000c0bf'],
    ['double', 1.5, '000000000000f83f'],
    ['string', 'hé€😀', '6800e900ac203dd800de0000'],
    ['string', '', '0000'],
    ['utf16', 'a', '61000000'],
    ['json', [1], '5b0031005d000000'],
    ['binary', hex('dead'), '02000000dead'],
    ['binary', hex(''), '00000000'],
    ['guid', '00112233-4455-6677-8899-aabbccddeeff', '33221100554477668899aabbccddeeff'],
    ['time', new Date('2024-01-02T03:04:05Z'), '80c04858283dda01'],
    ['port', 443, 'bb01'],
    ['errno', 2, '02000000'],
    ['pid', 123, '7b000000'],
  ])('of type %s has for %s the bytes %s', (type, value, bytes) => {
    expect(payloadOf(type, value)).toEqual(hex(bytes));
    expect(takeFaults()).toBeUndefined();
  });

  it.each<[FieldType, unknown, string]>([
    ['bool', 1, '01000000'],
    ['bool', undefined, '00000000'],
    // The format has no place for what follows a NUL.
    ['string', 'a\0b', '61000000'],
    ['string', 5, '35000000'],
    ['json', undefined, '6e0075006c006c000000'],
    ['binary', 'text', '00000000'],
    ['guid', '', '00000000000000000000000000000000'],
  ])('of type %s does not accept %j, which is counted', (type, value, bytes) => {
    expect(payloadOf(type, value)).toEqual(hex(bytes));
    expect(takeFaults()).toEqual({ badValues: 1, tooLarge: false });
  });

  it.each<[FieldType, (size: number) => unknown, number]>([
    ['binary', (size) => new Uint8Array(size), 65536 - 36 - 4],
    ['string', (size) => 'x'.repeat(size), (65536 - 36 - 2) / 2],
    ['json', (size) => 'x'.repeat(size - 2), (65536 - 36 - 2) / 2],
  ])('of type %s may extend to the end of the buffer', (type, make, room) => {
    payloadOf(type, make(room));
    expect(takeFaults()).toBeUndefined();
    payloadOf(type, make(room + 1));
    expect(takeFaults()).toEqual({ badValues: 0, tooLarge: true });
  });
});

describe('a manifest', () => {
  const problemOf = (fields: FieldDefinitions, rest: Partial<EventSchema> = {}) =>
    manifestProblem(schemaOf(fields, { id: 1, ...rest }));

  it.each(FIELD_TYPES.filter((type) => type !== 'ipAddress'))('can describe fields of type %s', (type) => {
    expect(problemOf({ f: type })).toBeUndefined();
  });

  it.each<[FieldDefinitions, string]>([
    [{ f: { x: 'uint8' } }, 'the field "f" is a struct, which events with a manifest cannot have;'],
    [{ f: 'uint8[]' }, 'the field "f" is an array, which events with a manifest cannot have;'],
    [{ f: 'uint8?' }, 'the field "f" is nullable, which events with a manifest cannot have;'],
    [{ f: 'ipAddress' }, 'the field "f" is of type ipAddress, which events with a manifest cannot have;'],
    [
      { fSize: 'uint32', f: 'binary' },
      'the field "fSize" has the name that a manifest uses for the size of "f".',
    ],
    [{ 'f\u0001': 'uint8' }, 'the field name "f\\u0001" contains a character'],
  ])('cannot describe the fields %j: %s', (fields, problem) => {
    expect(problemOf(fields)).toContain(problem);
  });

  it.each<[Partial<EventSchema>, string]>([
    [{ name: 'E\uffff' }, 'the event name "E\uffff" contains a character'],
    [{ id: 0xfffe }, 'the id 65534 is reserved for the event that carries the manifest.'],
    [{ level: 6 }, 'the level 6 has no name in a manifest; only those up to 5 do.'],
  ])('cannot describe an event of %j: %s', (rest, problem) => {
    expect(problemOf({}, rest)).toContain(problem);
  });

  it('cannot name providers and keywords that XML cannot represent, nor keywords with a space', () => {
    expect(manifestNamesProblem('P é', { A: 1n })).toBeUndefined();
    expect(manifestNamesProblem('P\u0002', {})).toContain('the provider\'s name "P\\u0002"');
    expect(manifestNamesProblem('P', { A: 1n, 'B\u0002': 2n })).toContain('the keyword "B\\u0002"');
    expect(manifestNamesProblem('P', { 'A B': 1n })).toContain('the keyword "A B" contains a space');
  });
});
