/** The events on a terminal while they are written. */
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LivePage } from '../../lib/cli/live/live-page.ts';
import { written } from '../view/written-events.ts';
import { type FakeTerminal, fakeTerminal } from './fake-terminal.ts';

let terminal: FakeTerminal;
let page: LivePage;
let now = 0;

beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  terminal = fakeTerminal();
  terminal.size = { columns: 110, rows: 4 };
  page = new LivePage(() => {});
});
afterEach(() => {
  page.close();
  vi.restoreAllMocks();
});

function add(...numbers: number[]): void {
  for (const number of numbers) page.add(written({ name: 'Tick', at: number, payload: { number } }));
  now += 1000;
  page.changed(0);
}

const numbersShown = () => terminal.shown().map((line) => Number(/number=(\d+)$/.exec(line)?.[1]));

it('follows the events, and says how many there are', () => {
  add(1, 2, 3, 4);
  expect(terminal.shown()).toEqual([
    '    0.002000        1  Demo/Tick  -  number=2',
    '    0.003000        1  Demo/Tick  -  number=3',
    '    0.004000        1  Demo/Tick  -  number=4',
    'q quit   ↑↓ scroll 2-4 of 4   / filter   space pause   4 events, 4/s',
  ]);
  page.add(written({ name: 'Tick', at: 5 }));
  now += 500;
  page.changed(1234);
  expect(terminal.shown()[3]).toContain('5 events, 1,234 lost, 4/s');
});

it('stays as it is while paused', () => {
  add(1, 2, 3);
  terminal.type(' ');
  add(4, 5);
  expect(numbersShown().slice(0, 3)).toEqual([1, 2, 3]);
  expect(terminal.shown()[3]).toContain('space continue   5 events');
  terminal.type(' ');
  expect(numbersShown().slice(0, 3)).toEqual([3, 4, 5]);
});

it('keeps the last 10,000 events', () => {
  add(...Array.from({ length: 25_000 }, (_, i) => i));
  expect(terminal.shown()[3]).toContain('9998-10000 of 10000');
  terminal.type('\x1b[H');
  expect(numbersShown()[0]).toBe(15_000);
});

it('shows those with a text', () => {
  add(1, 20, 3, 21);
  terminal.type('/NUMBER=2\r');
  expect(numbersShown().slice(0, 2)).toEqual([20, 21]);
});
