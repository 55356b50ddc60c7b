import { describe, expect, it } from 'vitest';
import { addressNumber, TimedRanges } from '../../lib/base/timed-ranges.ts';

describe('ranges of addresses', () => {
  it('are found from their start to their end', () => {
    const ranges = new TimedRanges<string>();
    ranges.add(0x20, 0x30, 'b');
    ranges.add(0x10, 0x18, 'a');
    expect([0xf, 0x10, 0x17, 0x18, 0x20, 0x2f, 0x30].map((at) => ranges.find(at))).toEqual([
      undefined,
      'a',
      'a',
      undefined,
      'b',
      'b',
      undefined,
    ]);
  });

  it('are the latest ones at a time; before all of them, the earliest', () => {
    const ranges = new TimedRanges<string>();
    ranges.add(0x10, 0x20, 'new', 300);
    ranges.add(0x08, 0x20, 'old', 100);
    expect([50, 100, 299, 300, 400].map((time) => ranges.find(0x12, time))).toEqual([
      'old',
      'old',
      'old',
      'new',
      'new',
    ]);
  });

  it('are found although many smaller ones start after them', () => {
    const ranges = new TimedRanges<string>();
    ranges.add(0, 10_000, 'large');
    for (let start = 0; start < 5_000; start += 10) ranges.add(start, start + 5, 'small', 1);
    expect([4_007, 4_002, 9_999].map((at) => ranges.find(at, 2))).toEqual(['large', 'small', 'large']);
  });

  it('represent kernel addresses precisely', () => {
    const address = 0xffff_ffff_8158_c221n;
    expect(addressNumber(address + 1n) - addressNumber(address)).toBe(1);
    expect(addressNumber(0x7fff_ffff_ffffn)).toBe(0x7fff_ffff_ffff);
  });
});
