/**
 * Node.Runtime as a listener in the same process sees it. test/child/runtime.test.ts has the cases that need a separate
 * process.
 */
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Subscription, WrittenEvent } from '../../lib/index.ts';
import {
  defineEventSource,
  EventListener,
  event,
  eventSources,
  Level,
  listen,
  sendCommand,
} from '../../lib/index.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';

/** A little more than the second between two samples. */
const ONE_SAMPLE_MS = 1100;

const source = enableRuntimeEvents();
const open: Subscription[] = [];

function hear(keywords: bigint, level = 0): WrittenEvent[] {
  const events: WrittenEvent[] = [];
  open.push(listen(source, (written) => events.push(written), { keywords, level }));
  return events;
}

const names = (events: readonly WrittenEvent[]) => events.map(({ name }) => name);
const named = (events: readonly WrittenEvent[], name: string) => events.filter((each) => each.name === name);

/** What the first event of the name tells, as the test knows it to be. */
function told<Payload>(events: readonly WrittenEvent[], name: string): Payload {
  const [first] = named(events, name);
  if (first === undefined) throw new Error(`There is no event ${name}, only: ${names(events)}.`);
  return first.payload as Payload;
}

afterEach(() => {
  for (const subscription of open.splice(0)) subscription.close();
  vi.restoreAllMocks();
});

describe('Node.Runtime', () => {
  it('is defined on request, and once', () => {
    expect(enableRuntimeEvents()).toBe(source);
    expect(eventSources().filter(({ name }) => name === 'Node.Runtime')).toEqual([source]);
    expect(source.guid).toBe('3102f772-ef77-5312-9495-18363a28a066');
  });

  it('identifies the process to each new listener', () => {
    const first = hear(RuntimeKeywords.GC);
    const second = hear(RuntimeKeywords.GC);
    expect(names(first)).toEqual(['ProcessInfo', 'ProcessInfo']);
    expect(names(second)).toEqual(['ProcessInfo']);
    const { payload } = second[0] as WrittenEvent;
    expect(payload).toMatchObject({ processId: process.pid, nodeVersion: process.versions.node });
    expect(payload.commandLine).toContain(process.execPath);
  });

  it('identifies it again when asked to describe itself', () => {
    const events = hear(RuntimeKeywords.GC);
    sendCommand(source, 'sendManifest');
    expect(names(events)).toEqual(['ProcessInfo', 'ProcessInfo']);
  });

  it('is found by a listener to all event sources', () => {
    const events: WrittenEvent[] = [];
    const listener = new EventListener({
      onEventSourceCreated: (created, self) => {
        if (created.name === source.name) self.enableEvents(created, Level.Informational);
      },
      onEventWritten: (written) => events.push(written),
    });
    open.push(listener);
    expect(names(events)).toContain('HeapStatistics');
    // Verbose.
    expect(names(events)).not.toContain('HeapSpaceStatistics');
  });
});

describe('an event that nobody listens to', () => {
  const hooks = () =>
    ['uncaughtExceptionMonitor', 'warning', 'worker'].map((name) => process.listenerCount(name));

  it('has no timer and no hook', () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval');
    const clearInterval = vi.spyOn(globalThis, 'clearInterval');
    const [monitors = 0, warnings = 0, workers = 0] = hooks();

    const subscription = listen(source, () => {}, { keywords: RuntimeKeywords.GC });
    expect(hooks()).toEqual([monitors, warnings, workers]);
    expect(setInterval).not.toHaveBeenCalled();
    subscription.close();

    const toHeap = listen(source, () => {}, { keywords: RuntimeKeywords.Heap });
    expect(setInterval).toHaveBeenCalledOnce();
    expect(hooks()).toEqual([monitors, warnings, workers]);

    const toAll = listen(source, () => {});
    expect(setInterval).toHaveBeenCalledTimes(3);
    expect(hooks()).toEqual([monitors + 1, warnings + 1, workers + 1]);

    toAll.close();
    expect(clearInterval).toHaveBeenCalledTimes(2);
    expect(hooks()).toEqual([monitors, warnings, workers]);
    toHeap.close();
    expect(clearInterval).toHaveBeenCalledTimes(3);
  });

  it('has none even if the listener left during the first event', () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval');
    const clearInterval = vi.spyOn(globalThis, 'clearInterval');
    const before = hooks();
    const listener = new EventListener({
      onEventWritten: ({ name }) => {
        if (name === 'HeapStatistics') listener.close();
      },
    });
    listener.enableEvents(source, 0);
    expect(hooks()).toEqual(before);
    expect(clearInterval).toHaveBeenCalledTimes(setInterval.mock.calls.length);
  });

  it('is distinguished by level, too', () => {
    const [, warnings = 0] = hooks();
    hear(RuntimeKeywords.Exceptions, Level.Error);
    expect(hooks()[1]).toBe(warnings);
    hear(RuntimeKeywords.Exceptions, Level.Warning);
    expect(hooks()[1]).toBe(warnings + 1);
  });

  it('retains no activity of its last listener', async () => {
    const log = defineEventSource('Runtime-Activities', {
      WorkStart: event(),
      WorkStop: event({ success: 'bool', errorMessage: 'string' }),
    });
    open.push(listen(log, () => {}));
    const events = await log.activity('Work', {}, async () => hear(RuntimeKeywords.Heap));
    await sleep(ONE_SAMPLE_MS);
    expect(named(events, 'HeapStatistics')).toHaveLength(2);
    expect(events.map(({ activityId }) => activityId)).toEqual(events.map(() => undefined));
  });
});

describe('the heap', () => {
  it('is reported at once, with each of its spaces', () => {
    const events = hear(RuntimeKeywords.Heap);
    const { usedHeapSize, heapSizeLimit, residentSetSize } = told<{
      usedHeapSize: number;
      heapSizeLimit: number;
      residentSetSize: number;
    }>(events, 'HeapStatistics');
    expect(usedHeapSize).toBeGreaterThan(1e6);
    expect(heapSizeLimit).toBeGreaterThan(usedHeapSize);
    expect(residentSetSize).toBeGreaterThan(usedHeapSize);
    const spaces = named(events, 'HeapSpaceStatistics').map(({ payload }) => payload.name);
    expect(spaces).toContain('old_space');
  });
});

describe('the event loop', () => {
  it('is late by as long as it was blocked, and busy all the time', async () => {
    const events = hear(RuntimeKeywords.EventLoop);
    await sleep(200);
    const end = performance.now() + 300;
    while (performance.now() < end);
    await sleep(ONE_SAMPLE_MS);
    const { utilization, activeMSec, idleMSec, delayP50MSec, delayMaxMSec } = told<{
      utilization: number;
      activeMSec: number;
      idleMSec: number;
      delayP50MSec: number;
      delayMaxMSec: number;
    }>(events, 'EventLoop');
    expect(activeMSec).toBeGreaterThanOrEqual(300);
    expect(idleMSec).toBeGreaterThan(0);
    expect(utilization).toBeCloseTo(activeMSec / (activeMSec + idleMSec), 3);
    // The measuring timer may have been waited for up to 20 ms when the block began.
    expect(delayMaxMSec).toBeGreaterThan(275);
    expect(delayP50MSec).toBeLessThan(100);
  });
});

describe('active resources', () => {
  it('are counted by type', () => {
    const timers = [1, 2, 3].map(() => setTimeout(() => {}, 1e6));
    const events = hear(RuntimeKeywords.Resources);
    for (const timer of timers) clearTimeout(timer);
    const { count, types } = told<{ count: number; types: { type: string; count: number }[] }>(
      events,
      'ActiveResources',
    );
    expect(types.find(({ type }) => type === 'Timeout')?.count).toBeGreaterThanOrEqual(3);
    expect(count).toBe(types.reduce((sum, each) => sum + each.count, 0));
  });
});

describe('a process warning', () => {
  it('is reported with its type and code', async () => {
    vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    const events = hear(RuntimeKeywords.Exceptions);
    process.emitWarning('Better not.', { type: 'TestWarning', code: 'TEST001' });
    await sleep(0);
    expect(named(events, 'ProcessWarning').map(({ payload }) => payload)).toEqual([
      {
        type: 'TestWarning',
        code: 'TEST001',
        message: 'Better not.',
        stack: expect.stringContaining('TestWarning: Better not.'),
      },
    ]);
  });
});
