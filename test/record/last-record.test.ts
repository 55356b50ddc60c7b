import { describe, expect, it } from 'vitest';
import { lastRecordEnd } from '../../lib/record/recording-file.ts';
import { commRecord } from '../../lib/wire/perf-data/write/records.ts';

describe('where records can be cut', () => {
  const START = 16;
  const one = commRecord(1, 1, 'a'.repeat(15));
  /** More than is read at a time. */
  const COUNT = 40_000;
  const file = Buffer.concat([Buffer.alloc(START), ...Array.from({ length: COUNT }, () => one)]);
  const endFor = (limit: number, bytes: Uint8Array = file) =>
    lastRecordEnd(
      (offset, buffer) => {
        const part = bytes.subarray(offset, offset + buffer.length);
        buffer.set(part);
        return part.length;
      },
      START,
      limit,
    );

  it('is after the last one that ends before the limit', () => {
    expect(endFor(START + 3 * one.length)).toBe(START + 3 * one.length);
    expect(endFor(START + 4 * one.length - 1)).toBe(START + 3 * one.length);
    expect(endFor(file.length - 1)).toBe(file.length - one.length);
    expect(endFor(file.length + 1)).toBe(file.length);
  });

  it('is the start if none fits', () => {
    expect(endFor(0)).toBe(START);
  });

  it('is before a damaged one', () => {
    const damaged = Buffer.from(file.subarray(0, START + 2 * one.length));
    damaged.writeUInt16LE(0, START + one.length + 6);
    expect(endFor(damaged.length, damaged)).toBe(START + one.length);
  });
});
