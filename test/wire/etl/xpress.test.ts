import { describe, expect, it } from 'vitest';
import { decompressXpress } from '../../../lib/wire/etl/xpress.ts';

/** One word of flags, of which the first stand in `flags` (`1` a match), and what they tell of. */
function compressed(flags: string, ...rest: number[]): Uint8Array {
  const word = Number.parseInt(flags.padEnd(32, '0'), 2);
  return Uint8Array.from([word & 0xff, (word >>> 8) & 0xff, (word >>> 16) & 0xff, word >>> 24, ...rest]);
}

/** A match of 16 bits, as bytes. */
const match = (distance: number, length: number) => {
  const value = ((distance - 1) << 3) | length;
  return [value & 0xff, value >>> 8];
};

function decompress(input: Uint8Array, limit = 1000): { text: string; problem?: string } {
  const output = new Uint8Array(limit);
  const { size, problem } = decompressXpress(input, output, 0);
  const text = Buffer.from(output.subarray(0, size)).toString('latin1');
  return problem === undefined ? { text } : { text, problem };
}

const A = 0x61;
const B = 0x62;

describe('plain LZ77', () => {
  it('copies bytes whose flag is 0', () => {
    expect(decompress(compressed('00', A, B))).toEqual({ text: 'ab' });
  });

  it('copies what was written before, even by the same copy', () => {
    expect(decompress(compressed('001', A, B, ...match(2, 0)))).toEqual({ text: 'ababa' });
    expect(decompress(compressed('001', A, B, ...match(1, 6)))).toEqual({ text: `a${'b'.repeat(10)}` });
  });

  it('reads further words of flags', () => {
    const input = Uint8Array.from([
      0,
      0,
      0,
      0,
      ...new Array(32).fill(A),
      ...compressed('1', ...match(32, 0)),
    ]);
    expect(decompress(input)).toEqual({ text: 'a'.repeat(35) });
  });

  it('continues with a length in half a byte, which two matches share', () => {
    // 7 + 2 + 3, then 7 + 1 + 3 of the same byte, then a half of a new one.
    const input = compressed('0111', A, ...match(1, 7), 0x12, ...match(1, 7), ...match(1, 7), 0x00);
    expect(decompress(input).text.length).toBe(1 + 12 + 11 + 10);
  });

  it('continues with a length in a byte, in two, and in four', () => {
    expect(decompress(compressed('01', A, ...match(1, 7), 0x0f, 5)).text.length).toBe(1 + 5 + 15 + 7 + 3);
    expect(decompress(compressed('01', A, ...match(1, 7), 0x0f, 255, 0x2c, 0x01)).text.length).toBe(
      1 + 300 + 3,
    );
    const four = compressed('01', A, ...match(1, 7), 0x0f, 255, 0, 0, 0x90, 0x01, 0, 0);
    expect(decompress(four).text.length).toBe(1 + 400 + 3);
  });

  it('writes no more than fits, whatever the length', () => {
    const input = compressed('01', A, ...match(1, 7), 0x0f, 255, 0, 0, 0xff, 0xff, 0xff, 0xff);
    expect(decompress(input, 8)).toEqual({ text: 'aaaaaaaa' });
  });

  it.each([1, 2, 3, 7, 8, 9, 15, 16, 17])(
    'copies any length from %i bytes back, to the end of the output',
    (distance) => {
      const literals = Array.from({ length: 20 }, (_, i) => A + i);
      for (let length = 3; length <= 9; length++) {
        const input = compressed(
          `${'0'.repeat(20)}11`,
          ...literals,
          ...match(distance, length - 3),
          ...match(distance, 6),
        );
        const whole = [...literals];
        for (let i = 0; i < length + 9; i++) whole.push(whole.at(-distance) as number);
        const text = String.fromCharCode(...whole);
        for (let limit = 20; limit <= 40; limit++)
          expect(decompress(input, limit)).toEqual({ text: text.slice(0, limit) });
      }
    },
  );

  it('starts at the given position', () => {
    const output = new Uint8Array(5);
    expect(decompressXpress(compressed('00', A, B), output, 2)).toEqual({ size: 2 });
    expect([...output]).toEqual([0, 0, A, B, 0]);
  });

  it('delivers what precedes a match that goes back too far', () => {
    expect(decompress(compressed('01', A, ...match(2, 0)))).toEqual({
      text: 'a',
      problem: 'A match goes 2 bytes back, but only 1 have been decompressed.',
    });
  });

  it.each([
    ['half a byte', [...match(1, 7)]],
    ['a byte', [...match(1, 7), 0x0f]],
    ['two bytes', [...match(1, 7), 0x0f, 255, 1]],
    ['four bytes', [...match(1, 7), 0x0f, 255, 0, 0, 1, 0]],
  ])('delivers what precedes a missing length of %s', (_what, bytes) => {
    expect(decompress(compressed('01', A, ...bytes))).toEqual({
      text: 'a',
      problem: 'The compressed data ends inside the length of a match.',
    });
  });

  it('ends with its input', () => {
    for (const input of [[], [1, 2, 3], [...compressed('0')], [...compressed('1', 3)]]) {
      expect(decompress(Uint8Array.from(input))).toEqual({ text: '' });
    }
  });
});
