/** formatPerfViewActivityPath: PerfView's text, with the quirks that PerfView's own output shows. */
import { describe, expect, it } from 'vitest';
import { Guid } from '../../lib/activity/guid.ts';
import { formatPerfViewActivityPath } from '../../lib/activity/perfview-path.ts';

const print = (text: string, processId?: number) => formatPerfViewActivityPath(Guid.parse(text), processId);
const ones = (count: number) => Array.from({ length: count }, () => 1).join('/');

/** PerfView's text for these twelve path bytes with the checksum of the 2016 form. */
function printBytes(hex: string): string {
  const { w0, w1, w2 } = Guid.fromBytes(Buffer.from(hex.replaceAll(' ', '').padEnd(32, '0'), 'hex'));
  return formatPerfViewActivityPath(new Guid(w0, w1, w2, w0 + w1 + w2 + 0x599d99ad));
}

describe('PerfView prints', () => {
  it('a path of the 2016 form between two slashes and one', () => {
    expect(print('00000011-0000-0000-0000-0000be999d59')).toBe('//1/1/');
  });

  it('the process id that the checksum implies', () => {
    expect(print('00000011-0000-0000-0000-00006c9d9d59')).toBe('/#1234/1/1/');
    expect(print('00d0c714-0000-0000-0000-00003d2d6f5a')).toBe('/#85500/1/4/2000/');
  });

  it('a process id of 2^20 or more only if given', () => {
    const text = '0001111d-0000-0000-0000-00007bc7be59';
    expect(print(text)).toBe(text);
    expect(print(text, 2125233)).toBe('/#2125233/1/273/');
  });

  it('nothing after the spare byte that .NET up to version 9 wrote', () => {
    expect(print('0000c111-0010-0000-0000-00002f4a9e59')).toBe('/#4321/1/1/256/');
  });

  it('an overflow number after a "$"', () => {
    expect(print('11111111-1111-1111-111b-c002e0d67f7e')).toBe(`//${ones(19)}$2/`);
  });

  it('an overflow number from a high half with its code as further high bits', () => {
    expect(print('11111111-1111-1111-11bc-11000167d17b')).toBe(`/#4321/${ones(18)}$3089/`);
  });

  it('an overflow number from a low half without its bits 8 to 11', () => {
    expect(printBytes('1b c1 05')).toBe('//1$5/');
  });

  it('"$" before every later multi-byte number, and "/" before small ones', () => {
    expect(printBytes('1b c0 05 2c 0b')).toBe('//1$5/2$11/');
  });

  it('all 32 bits of a number as unsigned', () => {
    expect(printBytes('1f ff ff ff ff')).toBe('//1/4294967295/');
  });

  it('no number that is cut off', () => {
    expect(printBytes('11 11 11 11 11 11 11 11 11 11 11 1c')).toBe(`//${ones(23)}/`);
    expect(printBytes('11 11 11 11 11 11 11 11 11 11 11 1b')).toBe(`//${ones(23)}/`);
  });

  it('the GUID if a code is undefined', () => {
    expect(printBytes('11 b1')).toMatch(/^0000b111-0000-0000-0000-/);
  });
});
