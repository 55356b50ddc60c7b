/** What a command says if its filter passes no event: the names that exist. */
import { expect, it } from 'vitest';
import { FilteredEvents } from '../../lib/cli/trace/filtered-events.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';

const EVENTS = [
  ['Acme_Web', 'RequestStart', 4],
  ['Acme_Web', 'CacheMiss', 5],
  ['Other', 'Tick', 4],
].map(([provider, name, level]) => ({ provider, name, level, keywords: 0n }) as unknown as TraceEvent);

function emptinessOf(values: ConstructorParameters<typeof FilteredEvents>[0], events = EVENTS) {
  const filtered = new FilteredEvents(values);
  const had = events.filter((event) => filtered.has(event));
  return { had: had.length, says: filtered.emptiness('a.data') };
}

it.each([
  [{ provider: ['Acme-Wbe'] }, 'a.data has no events of Acme-Wbe. Its providers are Acme_Web and Other.'],
  [{ provider: ['A', 'B*'] }, 'a.data has no events of A or B*. Its providers are Acme_Web and Other.'],
  [{ event: ['Tock'] }, 'a.data has no event Tock. Its events are CacheMiss, RequestStart and Tick.'],
  [
    { provider: ['Acme-Web'], event: ['Tick'] },
    'a.data has no event Tick of Acme-Web. Their events are CacheMiss and RequestStart.',
  ],
  [
    { provider: ['Acme-Web'], event: ['CacheMiss'], level: 4 },
    'None of the 3 events of a.data matches the options.',
  ],
  [{ level: 1 }, 'None of the 3 events of a.data matches the options.'],
])('%j: %s', (values, says) => {
  expect(emptinessOf(values)).toEqual({ had: 0, says });
});

it('nothing is said if there are events', () => {
  expect(emptinessOf({ provider: ['Acme-Web'] })).toEqual({ had: 2, says: undefined });
  expect(emptinessOf({ provider: ['Other'] })).toEqual({ had: 1, says: undefined });
});

it('a trace without events is reported as such', () => {
  expect(emptinessOf({ provider: ['Other'] }, []).says).toBe('a.data has no events.');
});

it('of many names, some are listed', () => {
  const many = Array.from({ length: 5000 }, (_, i) => ({ provider: `P${i}`, name: 'E' }) as TraceEvent);
  const saysOf = (count: number) => emptinessOf({ provider: ['Q'] }, many.slice(0, count)).says;
  expect(saysOf(21)).toMatch(/ are (?:P\d+, ){19}P\d+ and 1 other\.$/);
  expect(saysOf(500)).toMatch(/ are (?:P\d+, ){19}P\d+ and 480 others\.$/);
  expect(saysOf(5000)).toMatch(/ are (?:P\d+, ){19}P\d+ and many others\.$/);
});
