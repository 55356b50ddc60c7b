import { describe, expect, it } from 'vitest';
import { floatText, timeText } from './number-text.ts';

describe('a float as text', () => {
  // Expected: std::to_chars of libstdc++.
  it.each([
    [0, 8, '0'],
    [3.14, 8, '3.14'],
    [-0, 8, '-0'],
    [0.001, 8, '0.001'],
    [0.0001, 8, '1e-04'],
    [0.00001, 8, '1e-05'],
    [100000, 8, '1e+05'],
    [120000, 8, '120000'],
    [1e300, 8, '1e+300'],
    [5e-324, 8, '5e-324'],
    [123456789, 8, '123456789'],
    [Math.fround(0.1), 4, '0.1'],
    [Math.fround(16777216), 4, '16777216'],
    [Math.fround(123456792), 4, '123456792'],
    [Math.fround(4023195.25), 4, '4023195.2'],
    [Math.fround(0.75), 4, '0.75'],
    [Number.POSITIVE_INFINITY, 8, 'inf'],
    [Number.NEGATIVE_INFINITY, 4, '-inf'],
    [Number.NaN, 8, 'nan'],
  ])('%d of %i bytes is %s', (value, size, text) => {
    expect(floatText(value, size, value < 0 || Object.is(value, -0))).toBe(text);
  });

  it('shows the sign of a NaN', () => {
    expect(floatText(Number.NaN, 4, true)).toBe('-nan');
  });
});

describe('a time as text', () => {
  it.each([
    [0n, '1970-01-01T00:00:00'],
    [-1n, '1969-12-31T23:59:59'],
    [951782400n, '2000-02-29T00:00:00'],
    [910692730085n, '30828-09-14T02:48:05'],
    [-62135596801n, '0000-12-31T23:59:59'],
    [-62167219201n, '-001-12-31T23:59:59'],
    [67768036191676799n, '2147485547-12-31T23:59:59'],
    [67768036191676800n, 'TIME(67768036191676800)'],
    [-67768040609740801n, 'TIME(-67768040609740801)'],
  ])('%d seconds is %s', (seconds, text) => {
    expect(timeText(seconds)).toBe(text);
  });
});
