/** Text from outside that is printed to a terminal. */
import { expect, it } from 'vitest';
import { printable, printableJson, printableLines } from '../../lib/base/printable.ts';

it('characters that could control a terminal are made visible', () => {
  expect(printable('a\x1b[31m\r\nb\u009b\u202ec')).toBe('a\\u{1b}[31m\\u{d}\\u{a}b\\u{9b}\\u{202e}c');
  expect(printable('\x7f\u2028\u2029\u200e\u200f\u061c\u2066\ufeff\u{e0041}')).toBe(
    '\\u{7f}\\u{2028}\\u{2029}\\u{200e}\\u{200f}\\u{61c}\\u{2066}\\u{feff}\\u{e0041}',
  );
});

it('text in any language is unchanged', () => {
  for (const text of ['Größe 数据 ✓', 'שלום عربى', 'क्ष\u200d', '👨\u200d👩\u200d👧', '']) {
    expect(printable(text)).toBe(text);
  }
});

it('lines keep their ends', () => {
  expect(printableLines('a\n\x1bb\r\nc\u2028')).toBe('a\n\\u{1b}b\\u{d}\nc\\u{2028}');
});

it('JSON keeps its value', () => {
  const value = { 'na\u009bme': 'a\x1b\n\x7f\u0085\u202e\u2066\u{e0041}é数', list: [1, 'b'] };
  const json = printableJson(JSON.stringify(value, null, 2));
  expect(json).toContain('\\u009b');
  expect(json).toContain('\\udb40\\udc41');
  expect(json.split('\n').map(printable).join('\n')).toBe(json);
  expect(JSON.parse(json)).toEqual(value);
});
