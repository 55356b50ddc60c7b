import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { defineEventSource, event, Level, listen } from '../../lib/index.ts';
import type { WrittenEvent } from '../../lib/listen/written-event.ts';
import { enableRuntimeEvents, RuntimeKeywords } from '../../lib/runtime/index.ts';

const source = enableRuntimeEvents();
const log = defineEventSource('Placed-Service', { WorkStart: event(), WorkStop: event() });
const { flow } = sharedActivities();
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
  expect(flow.onStart).toBeUndefined();
});

function listening(filter?: Parameters<typeof listen>[2]) {
  const events: WrittenEvent[] = [];
  const subscriptions = [
    listen(source, (written) => void events.push(written), filter),
    listen(log, (written) => void events.push(written)),
  ];
  ends.push(() => subscriptions.forEach((each) => void each.close()));
  return events;
}
const codeIn = (events: readonly WrittenEvent[]) => events.filter(({ name }) => name === 'ActivityCode');

describe('The code that starts an activity', () => {
  it('is looked for only for those who ask for its keyword', () => {
    listening();
    listening({ level: Level.Verbose });
    listening({ keywords: RuntimeKeywords.ActivitySwitches });
    expect(flow.onStart).toBeUndefined();
    listening({ keywords: RuntimeKeywords.ActivityCode });
    expect(flow.onStart).toBeDefined();
  });

  it('is the application’s innermost function, in an event right after the Start with its id', () => {
    const events = listening({ keywords: RuntimeKeywords.ActivityCode });
    function checkout() {
      log.activity('Work', {}, () => {});
    }
    checkout();
    const [start, code] = events.slice(-3);
    expect([start?.name, code?.name]).toEqual(['WorkStart', 'ActivityCode']);
    expect(code?.activityId).toEqual(start?.activityId);
    expect(code?.payload).toMatchObject({
      function: 'checkout',
      file: join(import.meta.dirname, 'activity-code.test.ts'),
      line: 41,
    });
  });

  it('is found across await', async () => {
    const events = listening({ keywords: RuntimeKeywords.ActivityCode });
    const library = new Function(
      'log',
      'return async () => { await null; log.activity("Work", {}, () => {}); }\n//# sourceURL=/app/node_modules/a/a.js',
    )(log) as () => Promise<void>;
    async function awaiting() {
      await library();
    }
    await awaiting();
    expect(codeIn(events).at(-1)?.payload).toMatchObject({ function: 'awaiting' });
  });

  it('leaves what an application has set on Error as it is, and calls nothing of it', () => {
    const before = Object.getOwnPropertyDescriptors(Error);
    const events = listening({ keywords: RuntimeKeywords.ActivityCode });
    let calls = 0;
    const own = { configurable: true, enumerable: false, get: () => calls++, set: () => void calls++ };
    for (const name of ['prepareStackTrace', 'stackTraceLimit']) Object.defineProperty(Error, name, own);
    try {
      log.activity('Work', {}, () => {});
      expect(calls).toBe(0);
      expect(Object.getOwnPropertyDescriptor(Error, 'stackTraceLimit')).toEqual(own);
    } finally {
      for (const name of ['prepareStackTrace', 'stackTraceLimit'] as const) {
        if (before[name] === undefined) Reflect.deleteProperty(Error, name);
        else Object.defineProperty(Error, name, before[name] as PropertyDescriptor);
      }
    }
    expect(codeIn(events).length).toBeGreaterThan(0);
    log.activity('Work', {}, () => {});
    expect(Object.getOwnPropertyDescriptors(Error)).toEqual(before);
  });
});
