/** Messages about anything that an application passed or threw. */
import { describe, expect, it } from 'vitest';
import { systemCodeOf, systemCodeText } from '../../lib/base/system-code.ts';
import { shown, thrownMessage, thrownText, thrownTextWithStack } from '../../lib/base/value-text.ts';

const hostile = {
  get [Symbol.toStringTag](): string {
    throw new Error('tag');
  },
  toString() {
    throw new Error('text');
  },
};

// Node.js 24 shows the object all the same; before, inspect threw what the getter throws.
const SHOWN_OR_NOT = /^(a value of type object that cannot be shown|\{ toString: .*\})$/;

describe('a value shown in a message', () => {
  it('looks as in JavaScript, on one line', () => {
    expect(shown('a\nb')).toBe("'a\\nb'");
    expect(shown({ a: { b: { c: 1 } } })).toBe('{ a: { b: [Object] } }');
    expect(shown(7n)).toBe('7n');
  });

  it('is truncated if it is long', () => {
    expect(shown('x'.repeat(1000)).length).toBeLessThan(120);
  });

  it('is described if it cannot be shown', () => {
    expect(shown(hostile)).toMatch(SHOWN_OR_NOT);
  });
});

describe('a thrown value', () => {
  it('is shown in its own words, if it has any', () => {
    expect(thrownText(new RangeError('far'))).toBe('RangeError: far');
    expect(thrownText('text')).toBe('text');
    expect(thrownText(Object.create(null))).toBe('[Object: null prototype] {}');
    expect(thrownText(hostile)).toMatch(SHOWN_OR_NOT);
  });

  it('includes its stack, if it has one', () => {
    expect(thrownTextWithStack(new Error('far'))).toMatch(/^Error: far\n\s+at /);
    expect(thrownTextWithStack(5)).toBe('5');
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect(thrownTextWithStack(proxy)).toBe('<Revoked Proxy>');
  });

  it('is its message alone, if it is an error with one', () => {
    expect(thrownMessage(new RangeError('far'))).toBe('far');
    expect(thrownMessage(Object.assign(new Error('far'), { message: 5 }))).toBe('Error: 5');
    expect(thrownMessage(Symbol('far'))).toBe('Symbol(far)');
  });

  it('has no system code if it cannot be asked for one', () => {
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    expect([systemCodeOf(proxy), systemCodeText(proxy)]).toEqual([undefined, '<Revoked Proxy>']);
    expect(systemCodeText(Object.create(null))).toBe('[Object: null prototype] {}');
  });

  it('is abridged if it is huge', () => {
    const huge = new Error('x'.repeat(1e7));
    for (const text of [thrownText, thrownMessage, thrownTextWithStack]) {
      expect(text(huge)).toHaveLength(20_000);
      expect(text(huge).at(-1)).toBe('…');
    }
  });
});
