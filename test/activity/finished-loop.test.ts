/** Loops that schedule themselves: an iteration is the previous one's sibling, not its child. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Activity } from '../../lib/activity/activity.ts';
import { afterFinishedLoop } from '../../lib/activity/activity.ts';
import { Guid } from '../../lib/activity/guid.ts';
import { ActivityTracker } from '../../lib/activity/tracker.ts';
import { defineEventSource, event } from '../../lib/index.ts';
import { Heard } from '../source/heard.ts';

const newTracker = () => new ActivityTracker(1, 0);
function start(tracker: ActivityTracker, context: Activity | undefined, name: string): Activity {
  const activity = tracker.start(context, name, 0);
  if (activity === undefined) throw new Error(`"${name}" was not started.`);
  return activity;
}

describe('the context in which an activity starts', () => {
  it('is the current one, unless that is an ended activity of the same name', () => {
    const tracker = newTracker();
    expect(afterFinishedLoop(undefined, 'Tick')).toBeUndefined();
    const tick = start(tracker, undefined, 'Tick');
    expect(afterFinishedLoop(tick, 'Tick')).toBe(tick);
    tracker.stop(tick, tick);
    expect(afterFinishedLoop(tick, 'Tock')).toBe(tick);
    expect(afterFinishedLoop(tick, 'Tick')).toBeUndefined();
  });

  it('is the one around the ended activity, skipping ended ones inside it', () => {
    const tracker = newTracker();
    const server = start(tracker, undefined, 'Server');
    const tick = start(tracker, server, 'Tick');
    const inner = start(tracker, tick, 'Inner');
    tracker.stop(inner, tick);
    expect(inner.stopped).toBe(true);
    expect(afterFinishedLoop(inner, 'Tick')).toBe(server);
  });

  it('is inside the innermost running activity, even if its parent has ended', () => {
    const tracker = newTracker();
    const tick = start(tracker, undefined, 'Tick');
    const running = start(tracker, tick, 'Running');
    tick.stopped = true;
    expect(afterFinishedLoop(running, 'Tick')).toBe(running);
  });

  it('keeps an id set by hand', () => {
    const tracker = newTracker();
    const tick = start(tracker, undefined, 'Tick');
    tracker.stop(tick, tick);
    const context = tracker.setActivityId(tick, Guid.parse('11111111-2222-3333-4444-555555555555'));
    expect(afterFinishedLoop(context, 'Tick')).toBe(context);
  });
});

describe('a loop that schedules its own next iteration', () => {
  const log = defineEventSource('Loop-Test', {
    TickStart: event(),
    TickStop: event(),
    ServerStart: event(),
    ServerStop: event(),
  });
  let heard: Heard;
  beforeEach(() => {
    heard = new Heard(log);
  });
  afterEach(() => {
    heard.close();
  });
  const paths = () =>
    heard.events.filter(({ name }) => name === 'TickStart').map(({ activityId }) => heard.path(activityId));

  const rounds = (count: number, later: (next: () => void) => void) =>
    new Promise<void>((resolve) => {
      const tick = (left: number) => {
        log.activity('Tick', {}, () => {
          if (left === 1) resolve();
          else later(() => tick(left - 1));
        });
      };
      tick(count);
    });

  it.each([
    ['timers', (next: () => void) => setTimeout(next, 0)],
    ['immediates', (next: () => void) => setImmediate(next)],
    ['microtasks', (next: () => void) => queueMicrotask(next)],
    ['nextTick', (next: () => void) => process.nextTick(next)],
  ])('with %s puts its iterations side by side, beyond the depth at which ids run out', async (_, later) => {
    await rounds(150, later);
    expect(paths()).toEqual(Array.from({ length: 150 }, (_, index) => `${index + 1}`));
  });

  it('puts its iterations side by side in the enclosing activity', async () => {
    await log.activity('Server', {}, () => rounds(12, (next) => setImmediate(next)));
    expect(paths()).toEqual(Array.from({ length: 12 }, (_, index) => `1/${index + 1}`));
  });

  it('works with bare Starts and Stops, too', async () => {
    await new Promise<void>((resolve) => {
      const tick = (left: number) => {
        log.TickStart();
        if (left === 1) resolve();
        else setImmediate(() => tick(left - 1));
        log.TickStop();
      };
      setImmediate(() => tick(120));
    });
    expect(paths()).toEqual(Array.from({ length: 120 }, (_, index) => `${index + 1}`));
  });
});
