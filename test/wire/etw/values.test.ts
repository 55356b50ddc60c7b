/** GUIDs, times and activity ids in Windows' layout, and the fixed part of an event. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../../lib/activity/guid.ts';
import { Channel, encodeEventDescriptor } from '../../../lib/wire/etw/event-descriptor.ts';
import { writeFileTime, writeGuid } from '../../../lib/wire/etw/values.ts';
import { guidBytes, guidText, isGuidText } from '../../../lib/wire/guid.ts';
import { scratch } from '../../../lib/wire/scratch.ts';
import { takeFaults, type ValueWriter } from '../../../lib/wire/values/faults.ts';
import { hex } from '../eventheader/event-bytes.ts';

const TEXT = '00112233-4455-6677-8899-aabbccddeeff';
const STRUCT = hex('33221100 5544 7766 8899aabbccddeeff');

function written(write: ValueWriter, value: unknown): Uint8Array {
  const end = write(100, value);
  return Uint8Array.from(scratch.subarray(100, end));
}

describe('an event descriptor', () => {
  it('has the 16 bytes of the sample', () => {
    const descriptor = { id: 7, version: 2, channel: Channel.TraceLogging, level: 4, opcode: 1, task: 9 };
    expect(encodeEventDescriptor({ ...descriptor, keywords: 0x1fn })).toEqual(
      hex('0700 02 0b 04 01 0900 1f00000000000000'),
    );
  });

  it('has room for the highest of each number', () => {
    const descriptor = { id: 0xffff, version: 0xff, channel: Channel.None, level: 0xff, opcode: 0xff };
    expect(encodeEventDescriptor({ ...descriptor, task: 0xfffe, keywords: 2n ** 64n - 1n })).toEqual(
      hex('ffff ff 00 ff ff feff ffffffffffffffff'),
    );
  });
});

describe('a GUID', () => {
  it('is in struct order, whether given as text or as the bytes of its text', () => {
    expect(written(writeGuid, TEXT)).toEqual(STRUCT);
    expect(written(writeGuid, TEXT.toUpperCase())).toEqual(STRUCT);
    expect(written(writeGuid, hex(TEXT.replaceAll('-', '')))).toEqual(STRUCT);
    expect(takeFaults()).toBeUndefined();
  });

  it('is all zeros for anything else, which is counted', () => {
    expect(written(writeGuid, 'no guid')).toEqual(new Uint8Array(16));
    expect(takeFaults()).toEqual({ badValues: 1, tooLarge: false });
  });

  it('is read as bytes and written as text, like an activity id', () => {
    expect(guidBytes(TEXT)).toEqual(STRUCT);
    expect(guidText(STRUCT)).toBe(TEXT);
    expect(guidBytes(TEXT)).toEqual(Guid.parse(TEXT).toBytes());
  });

  it.each([
    [TEXT, true],
    [TEXT.toUpperCase(), true],
    [`{${TEXT}}`, false],
    [`${TEXT}\n`, false],
    ['', false],
  ])('%j is valid: %s', (text, expected) => {
    expect(isGuidText(text)).toBe(expected);
  });
});

describe('a FILETIME', () => {
  const fileTime = (value: unknown) => Buffer.from(written(writeFileTime, value)).readBigInt64LE();

  it.each([
    ['1601-01-01T00:00:00.000Z', 0n],
    ['1970-01-01T00:00:00.000Z', 116444736000000000n],
    ['1969-12-31T23:59:59.999Z', 116444735999990000n],
    // The bytes of .NET for this moment: 80c04858283dda01.
    ['2024-01-02T03:04:05.000Z', 0x01da3d285848c080n],
  ])('of %s is %d units of 100 ns', (text, expected) => {
    expect(fileTime(new Date(text))).toBe(expected);
    expect(fileTime(Date.parse(text))).toBe(expected);
    expect(takeFaults()).toBeUndefined();
  });

  it('keeps the fraction of a millisecond', () => {
    expect(fileTime(0.5)).toBe(116444736000005000n);
    expect(fileTime(1700000000000.25)).toBe(116444736000000000n + 17000000000002500n);
    expect(fileTime(-0.0001)).toBe(116444735999999999n);
    expect(takeFaults()).toBeUndefined();
  });

  it.each([
    [new Date('1600-12-31T23:59:59.999Z'), 0n],
    [Number.NEGATIVE_INFINITY, 0n],
    [new Date(8.64e15), 2n ** 63n - 1n],
    [Number.POSITIVE_INFINITY, 2n ** 63n - 1n],
    [new Date(Number.NaN), 0n],
    ['2024', 0n],
    [5n, 0n],
    [undefined, 0n],
  ])('cannot represent %s, which is counted', (value, nearest) => {
    expect(fileTime(value)).toBe(nearest);
    expect(takeFaults()).toEqual({ badValues: 1, tooLarge: false });
  });
});
