/** Patterns for names, and how long they take for texts that other processes choose. */
import { describe, expect, it } from 'vitest';
import { glob, globs } from '../../lib/base/glob.ts';

describe('a pattern', () => {
  it.each([
    ['abc', 'ABC', true],
    ['abc', 'abcd', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'a\nb', true],
    ['a*', 'a', true],
    ['a*b', 'ab', true],
    ['a*b', 'a', false],
    ['ab*ba', 'aba', false],
    ['*b*', 'abc', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*ab*ab', 'ab', false],
    ['a**b', 'ab', true],
    ['a.b*', 'aXb', false],
    ['[a]?*', '[A]?', true],
    ['ΣΑΣ', 'σας', true],
    ['*😀*', 'a😀b', true],
  ])('%j says of %j: %s', (pattern, text, isMatch) => {
    expect(glob(pattern)(text)).toBe(isMatch);
  });

  it.each([
    ['*a*b*c*', 'ab'],
    ['a*a*a*a*a*a*b', 'a'],
    ['*ab*ab*ab*c', 'ab'],
  ])('%s takes as long as a text is, not longer', (pattern, piece) => {
    const text = piece.repeat((1 << 20) / piece.length);
    const before = performance.now();
    expect(glob(pattern)(text)).toBe(false);
    expect(performance.now() - before).toBeLessThan(1000);
  });

  it('of a name needs a text of this name', () => {
    const test = globs({ TEAM: 'shop-*' });
    expect([test({ TEAM: 'Shop-1' }), test({ team: 'shop-1' }), test({})]).toEqual([true, false, false]);
  });
});
