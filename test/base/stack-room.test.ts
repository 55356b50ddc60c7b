/** The remaining room on the stack. */
import { expect, it } from 'vitest';
import { hasStack } from '../../lib/base/stack-room.ts';
import { untilThereIsStack } from './stack-end.ts';

const callDeeply = (calls: number): number => (calls === 0 ? 0 : 1 + callDeeply(calls - 1));

it('there is room in normal code, and none near the end of the stack', () => {
  expect(hasStack()).toBe(true);
  let answers = 0;
  const refused = untilThereIsStack(() => {
    if (!hasStack()) throw new RangeError('There is none yet.');
    answers++;
    // As deep as functions of Node.js go that sessions call, several times over.
    expect(callDeeply(300)).toBe(300);
  });
  expect(answers).toBe(1);
  expect(refused).toBeGreaterThan(100);
});
