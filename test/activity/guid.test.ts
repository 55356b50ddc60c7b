/** Guid: its text, its bytes, and what it rejects. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';

const TEXT = '00112233-4455-6677-8899-aabbccddeeff';
const STRUCT_ORDER = Buffer.from('33221100554477668899aabbccddeeff', 'hex');

describe('Guid', () => {
  it('prints the first three groups as little-endian numbers and the rest as bytes in order', () => {
    expect(Guid.fromBytes(STRUCT_ORDER).toString()).toBe(TEXT);
  });

  it('returns its bytes in struct order', () => {
    const guid = Guid.parse(TEXT);
    expect(Buffer.from(guid.toBytes()).toString('hex')).toBe(STRUCT_ORDER.toString('hex'));
  });

  it('holds its struct-order bytes as four signed little-endian words', () => {
    const { w0, w1, w2, w3 } = Guid.parse('ffffffff-4455-6677-8899-aabbccddeeff');
    expect([w0, w1, w2, w3]).toEqual([-1, 0x66774455, 0xbbaa9988 | 0, 0xffeeddcc | 0]);
  });

  it('keeps every bit that is set, in text and in bytes', () => {
    for (let bit = 0; bit < 128; bit++) {
      const bytes = new Uint8Array(16);
      bytes[bit >>> 3] = 1 << (bit & 7);
      const guid = Guid.fromBytes(bytes);
      expect(Guid.parse(guid.toString()).equals(guid)).toBe(true);
      expect(guid.toBytes()).toEqual(bytes);
    }
  });

  it('reads from the middle of a larger array', () => {
    const larger = Buffer.concat([Buffer.of(1, 2, 3), STRUCT_ORDER]);
    expect(Guid.fromBytes(larger, 3).toString()).toBe(TEXT);
  });

  it('refuses to read if fewer than 16 bytes are left', () => {
    const message = 'A GUID takes 16 bytes, but there are fewer at offset 1 of 16 bytes.';
    expect(() => Guid.fromBytes(STRUCT_ORDER, 1)).toThrow(new RangeError(message));
    expect(() => Guid.fromBytes(STRUCT_ORDER, -1)).toThrow(RangeError);
  });

  it('reads upper case and prints lower case', () => {
    expect(Guid.parse(TEXT.toUpperCase()).toString()).toBe(TEXT);
  });

  it.each([
    '',
    'abc',
    `{${TEXT}}`,
    TEXT.slice(1),
    `${TEXT}0`,
    TEXT.replace('f', 'g'),
    TEXT.replaceAll('-', ''),
  ])('refuses the text "%s"', (text) => {
    expect(Guid.tryParse(text)).toBeUndefined();
    expect(() => Guid.parse(text)).toThrow(RangeError);
    expect(() => Guid.parse(text)).toThrow(`"${text}" is not a GUID`);
  });

  it('equals only a GUID with the same bytes', () => {
    const guid = Guid.parse(TEXT);
    expect(guid.equals(new Guid(guid.w0, guid.w1, guid.w2, guid.w3))).toBe(true);
    expect(guid.equals(new Guid(guid.w0 ^ 1, guid.w1, guid.w2, guid.w3))).toBe(false);
    expect(guid.equals(new Guid(guid.w0, guid.w1 ^ 1, guid.w2, guid.w3))).toBe(false);
    expect(guid.equals(new Guid(guid.w0, guid.w1, guid.w2 ^ 1, guid.w3))).toBe(false);
    expect(guid.equals(new Guid(guid.w0, guid.w1, guid.w2, guid.w3 ^ 1))).toBe(false);
  });

  it('is empty when all its bytes are zero', () => {
    expect(Guid.empty.isEmpty).toBe(true);
    expect(Guid.empty.toString()).toBe('00000000-0000-0000-0000-000000000000');
    expect(new Guid(0, 0, 0, 1).isEmpty).toBe(false);
  });
});
