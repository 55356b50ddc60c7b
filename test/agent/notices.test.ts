/** How often the agent says the same. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { sparingly } from '../../lib/agent/notices.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('says one sentence of a kind a minute, and how many it has left out', () => {
  const said: string[] = [];
  const say = sparingly((sentence) => said.push(sentence));
  for (const file of ['a', 'b', 'c']) say(`${file} cannot be written.`, 'disk');
  say('d cannot be shipped.', 'shipping');
  say('Started.');
  say('Started.');
  vi.advanceTimersByTime(60_000);
  say('e cannot be written.', 'disk');
  say('f cannot be written.', 'disk');
  expect(said).toEqual([
    'a cannot be written.',
    'd cannot be shipped.',
    'Started.',
    'Started.',
    'e cannot be written. (Since the last such message, 2 more were left out.)',
  ]);
});
