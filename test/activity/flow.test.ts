/** The storage that carries activities: it exists only while someone listens. */
import { AsyncLocalStorage, executionAsyncId } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Activity } from '../../lib/activity/activity.ts';
import { ActivityFlow } from '../../lib/activity/flow.ts';
import { Guid } from '../../lib/activity/guid.ts';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { currentActivityId, defineEventSource, event, listen } from '../../lib/index.ts';

const newActivity = (name: string) => new Activity(name, 0, Guid.empty, undefined, 2, undefined);

/**
 * Whether an AsyncLocalStorage makes each await dearer now: then what follows an await has an id of its own.
 * Only where storages are built on hooks, as on Node 20 and 22.
 */
async function awaitsAreDear(): Promise<boolean> {
  await null;
  return executionAsyncId() !== 0;
}

async function storagesAreBuiltOnHooks(): Promise<boolean> {
  const storage = new AsyncLocalStorage<number>();
  storage.enterWith(1);
  const dear = await awaitsAreDear();
  storage.disable();
  return dear;
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
});
afterEach(async () => {
  // Gives up what a test has left.
  await vi.advanceTimersByTimeAsync(2000);
  vi.useRealTimers();
});

describe('a flow', () => {
  it('does not exist before it begins, and has no context', () => {
    const flow = new ActivityFlow();
    expect(flow.active).toBe(false);
    expect(flow.context).toBeUndefined();
  });

  it('has the entered context in the code that follows and everything it causes', async () => {
    const flow = new ActivityFlow();
    const outer = newActivity('Outer');
    const inner = newActivity('Inner');
    flow.enter(outer);
    expect(flow.run(inner, () => flow.context)).toBe(inner);
    expect(flow.context).toBe(outer);
    await null;
    expect(flow.context).toBe(outer);
    const later = flow.run(inner, async () => {
      await null;
      return flow.context;
    });
    expect(await later).toBe(inner);
    flow.enter(undefined);
    expect(flow.context).toBeUndefined();
  });

  it('that begins twice is a single flow', () => {
    const flow = new ActivityFlow();
    expect(flow.begin()).toBe(flow.begin());
    expect(vi.getTimerCount()).toBe(1);
  });

  it('lasts while any known source has a listener, and ends within a second afterwards', () => {
    const flow = new ActivityFlow();
    const listening = { first: true, second: false };
    flow.keepWhile(() => listening.first);
    flow.keepWhile(() => listening.second);
    flow.begin();
    vi.advanceTimersByTime(10_000);
    expect(flow.active).toBe(true);
    listening.first = false;
    listening.second = true;
    vi.advanceTimersByTime(10_000);
    expect(flow.active).toBe(true);
    listening.second = false;
    vi.advanceTimersByTime(1000);
    expect(flow.active).toBe(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('that has begun does not leak from code after an await to the code awaiting it', async () => {
    const flow = new ActivityFlow();
    flow.begin();
    const inner = async () => {
      await null;
      flow.enter(newActivity('Work'));
    };
    await inner();
    expect(flow.context).toBeUndefined();
  });

  it('that begins with a run after an await does not leak to the code awaiting it', async () => {
    const flow = new ActivityFlow();
    const activity = newActivity('Work');
    const inner = async () => {
      await null;
      expect(flow.active).toBe(false);
      await flow.run(activity, async () => {
        await null;
        expect(flow.context).toBe(activity);
      });
      expect(flow.context).toBeUndefined();
    };
    await inner();
    expect(flow.context).toBeUndefined();
  });

  it('that begins again does not restore earlier contexts', async () => {
    const flow = new ActivityFlow();
    let readLater = () => {};
    const later = new Promise<void>((resolve) => {
      readLater = resolve;
    });
    const read = flow.run(newActivity('Old'), async () => {
      await later;
      return flow.context;
    });
    vi.advanceTimersByTime(1000);
    expect(flow.active).toBe(false);
    flow.begin();
    readLater();
    expect(await read).toBeUndefined();
  });
});

describe('the timer that checks for listeners', () => {
  it('does not keep the process alive', () => {
    const setInterval = vi.spyOn(globalThis, 'setInterval');
    new ActivityFlow().begin();
    expect(setInterval.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
    setInterval.mockRestore();
  });
});

describe('the flow of event sources', () => {
  const log = defineEventSource('Flow-Test', { WorkStart: event(), WorkStop: event(), Note: event() });
  const { flow } = sharedActivities();

  it('is shared by all copies of the library in a thread', () => {
    expect(sharedActivities()).toBe(sharedActivities());
    expect((globalThis as Record<symbol, unknown>)[Symbol.for('tracewright.activities.v5')]).toBe(
      sharedActivities(),
    );
  });

  it('does not exist while nothing listens, even if sources are defined and written to', () => {
    expect(flow.active).toBe(false);
    log.WorkStart();
    log.Note();
    log.WorkStop();
    log.activity('Work', {}, () => log.Note());
    expect(currentActivityId()).toBeUndefined();
    expect(flow.active).toBe(false);
  });

  it('exists from the first listener on, and slows down awaits only while it exists', async () => {
    const hooks = await storagesAreBuiltOnHooks();
    expect(await awaitsAreDear()).toBe(false);
    const subscription = listen(log, () => {});
    expect(flow.active).toBe(true);
    await log.activity('Work', {}, async () => {
      expect(await awaitsAreDear()).toBe(hooks);
      expect(currentActivityId()).toBeDefined();
    });
    vi.advanceTimersByTime(5000);
    expect(flow.active).toBe(true);
    subscription.close();
    vi.advanceTimersByTime(1000);
    expect(flow.active).toBe(false);
    expect(await awaitsAreDear()).toBe(false);
  });

  it('ends if nothing listens to a Start', () => {
    const subscription = listen(log, () => {}, { keywords: 0n, level: 1 });
    vi.advanceTimersByTime(1000);
    expect(flow.active).toBe(false);
    subscription.close();
  });

  it('is not restored by an iteration that outlasts its listener', () => {
    const subscription = listen(log, () => {});
    const ids = log.activity('Work', {}, function* () {
      yield currentActivityId();
      yield currentActivityId();
    });
    expect(ids.next().value).toBeDefined();
    subscription.close();
    vi.advanceTimersByTime(1000);
    expect(flow.active).toBe(false);
    expect([...ids]).toEqual([undefined]);
    expect(flow.active).toBe(false);
  });

  it('contains no activities that began for an earlier listener', async () => {
    const first = listen(log, () => {});
    let goOn = () => {};
    const gate = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const stale = log.activity('Work', {}, async () => {
      await gate;
      return currentActivityId();
    });
    first.close();
    vi.advanceTimersByTime(1000);
    const ids: (string | undefined)[] = [];
    const second = listen(log, ({ name, activityId }) => {
      if (name === 'Note') ids.push(activityId);
    });
    log.Note();
    goOn();
    expect(await stale).toBeUndefined();
    expect(ids).toEqual([undefined]);
    second.close();
  });
});
