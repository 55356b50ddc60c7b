/**
 * The table in docs/activities.md that compares bare Start and Stop with activity(), row by row. What is wrong there is
 * wrong by JavaScript's rules, and documented as such; if a row ever becomes right, the guide must say so.
 */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { activityPath, defineEventSource, event, listen } from '../lib/index.ts';

const log = defineEventSource('ReadmeActivities', {
  OuterStart: event(),
  OuterStop: event(),
  QueryStart: event(),
  QueryStop: event(),
  OtherStart: event(),
  OtherStop: event(),
  Note: event(),
});
const stop = { stop: () => ({}) };

async function bareQuery(): Promise<void> {
  log.QueryStart();
  await delay(2);
  log.QueryStop();
}
async function bareOther(): Promise<void> {
  log.OtherStart();
  await delay(4);
  log.OtherStop();
}
const scopedQuery = () => log.activity('Query', {}, stop, () => delay(2));
const scopedOther = () => log.activity('Other', {}, stop, () => delay(4));

/** What the work writes inside an activity: name and path of each event, the outer activity's as `//1/1`. */
async function eventsInside(work: () => Promise<unknown>): Promise<string[]> {
  const events: { name: string; path: string }[] = [];
  const subscription = listen(log, ({ name, activityId = '' }) => {
    events.push({ name, path: activityPath(activityId) });
  });
  await log.activity('Outer', {}, stop, work);
  subscription.close();
  const outer = events[0]?.path ?? '';
  return events
    .slice(1, -1)
    .map(({ name, path }) => `${name} ${path === outer ? '//1/1' : path.replace(`${outer}/`, '//1/1/')}`);
}

const TWO_SIBLINGS = ['QueryStart //1/1/1', 'QueryStop //1/1/1', 'OtherStart //1/1/2', 'OtherStop //1/1/2'];

describe('the same activity twice, awaited one after the other', () => {
  test.each([
    ['bare', bareQuery],
    ['activity()', scopedQuery],
  ])('is right with %s', async (_, query) => {
    const events = await eventsInside(async () => {
      await query();
      await query();
    });
    expect(events).toEqual([
      'QueryStart //1/1/1',
      'QueryStop //1/1/1',
      'QueryStart //1/1/2',
      'QueryStop //1/1/2',
    ]);
  });
});

describe('different activities, awaited one after the other', () => {
  test('nest by their ids with bare Start and Stop', async () => {
    const events = await eventsInside(async () => {
      await bareQuery();
      await bareOther();
    });
    expect(events.slice(2)).toEqual(['OtherStart //1/1/1/1', 'OtherStop //1/1/1/1']);
  });

  test('are siblings with activity()', async () => {
    const events = await eventsInside(async () => {
      await scopedQuery();
      await scopedOther();
    });
    expect(events).toEqual(TWO_SIBLINGS);
  });
});

describe('the same activity twice, concurrently', () => {
  test('lets the second stop the first, with bare Start and Stop', async () => {
    const events = await eventsInside(() => Promise.all([bareQuery(), bareQuery()]));
    expect(events).toEqual([
      'QueryStart //1/1/1',
      'QueryStart //1/1/2',
      'QueryStop //1/1',
      'QueryStop //1/1/2',
    ]);
  });

  test('yields two siblings with activity()', async () => {
    const events = await eventsInside(() => Promise.all([scopedQuery(), scopedQuery()]));
    expect(events.sort()).toEqual([
      'QueryStart //1/1/1',
      'QueryStart //1/1/2',
      'QueryStop //1/1/1',
      'QueryStop //1/1/2',
    ]);
  });
});

describe('different activities, concurrently', () => {
  test('nest with bare Start and Stop', async () => {
    const events = await eventsInside(() => Promise.all([bareQuery(), bareOther()]));
    expect(events.filter((line) => line.includes('Start'))).toEqual([
      'QueryStart //1/1/1',
      'OtherStart //1/1/1/1',
    ]);
  });

  test('are siblings with activity()', async () => {
    const events = await eventsInside(() => Promise.all([scopedQuery(), scopedOther()]));
    expect(events.sort()).toEqual([...TWO_SIBLINGS].sort());
  });
});

describe('an asynchronous function called without await', () => {
  test('moves its caller with a bare Start', async () => {
    const events = await eventsInside(async () => {
      const query = bareQuery();
      log.Note();
      await query;
    });
    expect(events).toContain('Note //1/1/1');
  });

  test('does not move its caller with activity()', async () => {
    const events = await eventsInside(async () => {
      const query = scopedQuery();
      log.Note();
      await query;
    });
    expect(events).toContain('Note //1/1');
  });
});

describe("an EventEmitter's listener", () => {
  test('moves the emitter with a bare Start', async () => {
    const events = await eventsInside(async () => {
      const emitter = new EventEmitter().on('query', () => void log.QueryStart());
      emitter.emit('query');
      log.Note();
    });
    expect(events).toEqual(['QueryStart //1/1/1', 'Note //1/1/1']);
  });

  test('does not move the emitter with activity()', async () => {
    const events = await eventsInside(async () => {
      const emitter = new EventEmitter().on('query', () => void scopedQuery());
      emitter.emit('query');
      log.Note();
      await delay(10);
    });
    expect(events).toContain('Note //1/1');
  });
});

describe('a bare Start that is alone in its context', () => {
  test('is right after an await in the same function', async () => {
    const lateQuery = async () => {
      await null;
      await bareQuery();
    };
    const events = await eventsInside(() => Promise.all([lateQuery(), lateQuery()]));
    expect(events.sort()).toEqual([
      'QueryStart //1/1/1',
      'QueryStart //1/1/2',
      'QueryStop //1/1/1',
      'QueryStop //1/1/2',
    ]);
  });

  test('is right in the callback of a timer', async () => {
    const events = await eventsInside(async () => {
      const inTimer = (query: () => Promise<void>) =>
        new Promise<void>((resolve) => setTimeout(() => resolve(query()), 1));
      await Promise.all([inTimer(bareQuery), inTimer(bareOther)]);
      log.Note();
    });
    expect(events.sort()).toEqual(['Note //1/1', ...TWO_SIBLINGS].sort());
  });
});
