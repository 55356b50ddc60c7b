import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualIdContext } from '../../lib/activity/activity.ts';
import { ActivityFlow } from '../../lib/activity/flow.ts';
import { Guid } from '../../lib/activity/guid.ts';
import { ActivitySwitches } from '../../lib/activity/switches.ts';
import { ActivityTracker } from '../../lib/activity/tracker.ts';

const ids = ['a', 'b', 'c'].map((name) => Guid.parse(`0000000${name}-0000-0000-0000-000000000000`));
const [a, b, c] = ids.map((id) => new ManualIdContext(undefined, id));
const nameOf = (id: Guid | undefined) => (id === undefined ? 'none' : 'abc'[ids.indexOf(id)]);

let now: number;
let written: [name: string | undefined, atMs: number][];
let flow: ActivityFlow;
let switches: ActivitySwitches;

beforeEach(() => {
  now = 10;
  written = [];
  flow = new ActivityFlow();
  switches = new ActivitySwitches(
    { flow, tracker: new ActivityTracker(1, 1) },
    (id, agoMs) => void written.push([nameOf(id), Number((now - agoMs).toFixed(3))]),
    () => now,
  );
});

/** The activity runs for so long. */
function run(context: ManualIdContext | undefined, ms: number) {
  flow.enter(context);
  switches.check();
  now += ms;
}

describe('Activity switches', () => {
  it('say what runs, and since when', () => {
    run(a, 1);
    run(undefined, 1);
    run(b, 1);
    expect(written).toEqual([
      ['none', 10],
      ['a', 10],
      ['none', 11],
      ['b', 12],
    ]);
  });

  it('are written once per run', () => {
    now += 1;
    run(a, 1);
    switches.check();
    run(a, 1);
    expect(written).toEqual([
      ['none', 10],
      ['a', 11],
    ]);
  });

  it('come late after another, and not for runs shorter than 50 us', () => {
    now += 1;
    run(a, 0.01);
    run(b, 0.01);
    run(c, 1);
    run(a, 0.01);
    run(b, 0.01);
    run(a, 1);
    expect(written).toEqual([
      ['none', 10],
      ['a', 11],
      ['c', 11.02],
      ['a', 12.02],
    ]);
  });

  it('are at most one in 50 us for short runs', () => {
    for (let i = 0; i < 1000; i++) run([a, b, c][i % 3], 0.01);
    expect(written.length).toBeGreaterThan(100);
    expect(written.length).toBeLessThanOrEqual(201);
    const counts = ids.map((id) => written.filter(([name]) => name === nameOf(id)).length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(written.length / 10);
  });

  it('are noticed in callbacks, awaits and scopes while observed', async () => {
    const end = switches.observe();
    const work = async () => {
      now += 1;
      await sleep(1);
      now += 1;
      await undefined;
      now += 1;
    };
    now += 1;
    await Promise.all([a, b].map((context) => flow.run(context, work)));
    now += 1;
    end();
    flow.run(c, () => {
      now += 1;
    });
    const ran = { a: 0, b: 0, none: 0 } as Record<string, number>;
    for (const [i, [name = '', atMs]] of written.entries()) {
      ran[name] = (ran[name] as number) + (written[i + 1]?.[1] ?? now - 1) - atMs;
    }
    expect(ran).toEqual({ a: 3, b: 3, none: 2 });
  });

  it('are not written for what their listeners do', () => {
    let count = 0;
    const nested = new ActivitySwitches({ flow, tracker: new ActivityTracker(1, 1) }, () => {
      count++;
      flow.run(c, () => {});
    });
    const end = nested.observe();
    flow.enter(a);
    end();
    expect(count).toBeLessThanOrEqual(2);
    flow.enter(b);
    expect(count).toBeLessThanOrEqual(2);
  });
});
