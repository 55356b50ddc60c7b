/** Repeated bytes are decoded once: never mixed up, and never without limits. */
import { expect, it } from 'vitest';
import { DecodeCache } from '../../lib/trace/decode-cache.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);

it('decodes the same bytes once, wherever they are', () => {
  const made: string[] = [];
  const kept = new DecodeCache((bytes) => {
    const text = new TextDecoder().decode(bytes);
    made.push(text);
    return text;
  });
  const all = bytesOf('one two one');
  expect([kept.get(all, 0, 3), kept.get(all, 4, 7), kept.get(all, 8, 11), kept.get(bytesOf('two'))]).toEqual([
    'one',
    'two',
    'one',
    'two',
  ]);
  expect(made).toEqual(['one', 'two']);
});

it('keeps its results when the original bytes change', () => {
  const kept = new DecodeCache((bytes) => bytes);
  const bytes = bytesOf('same');
  const first = kept.get(bytes);
  bytes.fill(0x78);
  expect(new TextDecoder().decode(first)).toBe('same');
  expect(new TextDecoder().decode(kept.get(bytes))).toBe('xxxx');
});

it('distinguishes bytes that differ in one place, however many there are', () => {
  const kept = new DecodeCache((bytes) => new TextDecoder().decode(bytes));
  // Each text differs from the others in one of its last characters.
  const texts = Array.from({ length: 20_000 }, (_, i) => {
    const place = 200 + (i % 90);
    return `${'a'.repeat(place)}${String.fromCharCode(0x62 + (i % 20))}${'a'.repeat(299 - place)}`;
  });
  for (const text of texts) expect(kept.get(bytesOf(text))).toBe(text);
  for (const text of texts) expect(kept.get(bytesOf(text))).toBe(text);
});
