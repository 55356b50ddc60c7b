/** The meter Node.Runtime: how busy the event loop is, and how late. */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import { EventListener, eventSources, type WrittenEvent } from '../../lib/index.ts';
import { enableRuntimeEvents } from '../../lib/runtime/index.ts';

enableRuntimeEvents();
const metrics = eventSources().find(({ name }) => name === 'System.Diagnostics.Metrics');
const open: EventListener[] = [];
afterEach(() => {
  for (const listener of open.splice(0)) listener.close();
  vi.restoreAllMocks();
});

function ask(seconds: number) {
  const events: WrittenEvent[] = [];
  const listener = new EventListener({ onEventWritten: (event) => void events.push(event) });
  open.push(listener);
  const args = { SessionId: 'SHARED', Metrics: 'Node.Runtime', RefreshInterval: seconds };
  if (metrics !== undefined) listener.enableEvents(metrics, 4, 2n, args);
  return (instrument: string) =>
    events
      .filter(({ payload, name }) => payload.instrumentName === instrument && name.endsWith('Published'))
      .map(({ payload }) => payload);
}

it('measures how long the loop was busy and idle, and how late its timers were, and the thread pool', async () => {
  const told = ask(0.5);
  await sleep(100);
  const end = performance.now() + 200;
  while (performance.now() < end);
  await sleep(900);
  const [active, idle] = told('nodejs.eventloop.time');
  expect(active?.tags).toBe('nodejs.eventloop.state=active');
  expect(idle?.tags).toBe('nodejs.eventloop.state=idle');
  expect(Number(active?.value)).toBeGreaterThan(0.2);
  expect(Number(idle?.value)).toBeGreaterThan(0);
  const [delays] = told('nodejs.eventloop.delay');
  const [, highest = '0'] = /0\.99=(.*)/.exec(String(delays?.quantiles)) ?? [];
  expect(Number(highest)).toBeGreaterThan(0.15);
  expect(Number(highest)).toBeLessThan(1);
  expect(delays?.count).toBeGreaterThan(5);
  expect(told('nodejs.threadpool.delay')[0]?.count).toBeGreaterThan(1);
});

it('measures nothing while nothing requests it', () => {
  const setInterval = vi.spyOn(globalThis, 'setInterval');
  const clearInterval = vi.spyOn(globalThis, 'clearInterval');
  ask(1);
  const measuring = setInterval.mock.results[setInterval.mock.calls.findIndex(([, msec]) => msec === 20)];
  expect(measuring).toBeDefined();
  for (const listener of open.splice(0)) listener.close();
  expect(clearInterval).toHaveBeenCalledWith(measuring?.value);
});
