/** What was thrown, as fields of an event. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { failureFields, thrownFields } from '../../lib/base/thrown-fields.ts';

describe('a failure', () => {
  it.each([
    [Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }), 'ECONNREFUSED', 'refused'],
    [new TypeError('bad'), 'TypeError', 'bad'],
    [Object.assign(new Error('odd'), { code: 7 }), 'Error', 'odd'],
    ['text', 'string', 'text'],
    [undefined, 'undefined', 'undefined'],
  ])('%o has a type and a message', (error, errorType, errorMessage) => {
    expect(failureFields(error)).toMatchObject({ errorType, errorMessage });
  });
});

describe('the stack of a failure', () => {
  let now = performance.now();
  const later = () => {
    now += 10_000;
    vi.spyOn(performance, 'now').mockReturnValue(now);
  };
  afterEach(() => vi.restoreAllMocks());

  it('has the frames of the error, without its message, which may have to stay secret', () => {
    const { errorStack } = failureFields(new Error('secret\n    at the second line'));
    expect(errorStack).toMatch(/^at .*thrown-fields\.test\.ts:\d+:\d+/);
    expect(errorStack).not.toContain('secret');
    expect(errorStack).not.toContain('the second line');
  });

  it('is told once per kind of error, until a second later', () => {
    const stacks = () =>
      ['again', 'again', 'other'].map((message) => failureFields(new RangeError(message)).errorStack !== '');
    expect(stacks()).toEqual([true, false, true]);
    later();
    expect(stacks()).toEqual([true, false, true]);
  });

  it('is told again with the same error: a handler and its request fail with one', () => {
    later();
    const error = new Error('one');
    const { errorStack } = failureFields(error);
    expect(errorStack).not.toBe('');
    expect(failureFields(error).errorStack).toBe(errorStack);
  });

  it('is told of few kinds', () => {
    later();
    const told = Array.from({ length: 500 }, (_, i) => failureFields(new Error(`${i}`)).errorStack);
    expect(told.filter((stack) => stack !== '')).toHaveLength(20);
  });

  it.each([
    ['text', 'text'],
    ['an object without a prototype', Object.create(null)],
    [
      'an error whose stack throws',
      Object.defineProperty(new Error('x'), 'stack', {
        get: () => {
          throw 1;
        },
      }),
    ],
    ['an error whose stack is another value', Object.assign(new Error('y'), { stack: { a: 1 } })],
  ])('is empty for %s', (_, thrown) => {
    expect(failureFields(thrown).errorStack).toBe('');
    expect(thrownFields(thrown).message).toEqual(expect.any(String));
  });
});
