import { AsyncResource } from 'node:async_hooks';
import { setTimeout } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ActivityRunFields, ActivityRuns } from '../../lib/activity/runs.ts';
import { sharedActivities } from '../../lib/activity/shared.ts';
import { defineEventSource, event, listen } from '../../lib/index.ts';

const log = defineEventSource('Running-Service', { WorkStart: event(), WorkStop: event() });
const ends: (() => unknown)[] = [];
function finish(): void {
  for (const end of ends.splice(0)) end();
}
afterEach(finish);

/** The time, as the test says it. */
class Clocks {
  time = 1000;
  idle = 0;
  onProcessor = 0;
  preempted = 0;
  turn = 0;
  began: number | undefined;
  now = () => this.time;
  waited = () => {
    const { idle } = this;
    this.idle = 0;
    return idle;
  };
  turns = () => this.turn;
  jobBegan = () => this.began;
  cpu = () => this.onProcessor;
  processorWait = () => this.preempted;

  run(ms: number, { cpu = ms, preempted = 0 } = {}): void {
    this.time += ms;
    this.onProcessor += cpu;
    this.preempted += preempted;
  }

  wait(ms: number): void {
    this.time += ms;
    this.idle += ms;
    this.turn++;
  }
}

type Written = ActivityRunFields & { readonly id: string | undefined; readonly startedAt: number };

function observed(clocks = new Clocks()) {
  const runs: Written[] = [];
  const write = (run: ActivityRunFields, id: { toString(): string } | undefined) =>
    void runs.push({ ...run, id: id?.toString(), startedAt: clocks.time - run.startedAgoMSec });
  const observing = new ActivityRuns(sharedActivities(), write, 0, clocks);
  const end = observing.observe();
  ends.push(end);
  const listening = listen(log, () => {});
  ends.push(() => listening.close());
  return { clocks, runs, observing };
}

/** As the event loop calls back: hooks of `node:async_hooks` are told. */
function callback(work: () => void): void {
  new AsyncResource('Test').runInAsyncScope(work);
}

describe('The runs of a thread', () => {
  it('began as long ago as they did, even if the thread loses its processor before they are written', () => {
    const { clocks, runs } = observed();
    clocks.cpu = () => {
      // The thread is preempted while it reads its times.
      clocks.time += 7;
      return clocks.onProcessor;
    };
    const began = clocks.time;
    log.activity('Work', {}, () => {
      clocks.run(5);
      clocks.wait(20);
      callback(() => {});
    });
    const [work] = runs.filter(({ id }) => id !== undefined);
    expect(work?.startedAt).toBe(began);
  });

  it('begin with a number after those of an earlier observation, so that the time between is a gap', () => {
    const { runs } = observed();
    expect(runs).toMatchObject([{ number: 2, durationMSec: 0 }]);
  });

  it('end when the event loop waits, also if the same activity runs next', () => {
    const { clocks, runs } = observed();
    log.activity('Work', {}, () => {
      clocks.run(5);
      clocks.wait(20);
      callback(() => clocks.run(3));
    });
    finish();
    const ofWork = runs.filter(({ id }) => id !== undefined);
    expect(ofWork).toMatchObject([{ durationMSec: 5 }, { durationMSec: 3 }]);
    expect(ofWork[1]?.number).toBe((ofWork[0]?.number ?? 0) + 1);
  });

  it('count for the one before if they are short, unless they end a wait', () => {
    const { clocks, runs } = observed();
    clocks.run(5);
    log.activity('Work', {}, () => clocks.run(0.02));
    clocks.run(5);
    finish();
    expect(runs.slice(1)).toMatchObject([{ id: undefined }, { id: undefined }]);
    expect(runs.reduce((sum, { durationMSec }) => sum + durationMSec, 0)).toBeCloseTo(10.02);
  });

  it('have the time on a processor and the wait for one, if they are long enough to read them', () => {
    const { clocks, runs } = observed();
    log.activity('Work', {}, () => clocks.run(100, { cpu: 30, preempted: 20 }));
    finish();
    expect(runs.find(({ id }) => id !== undefined)).toMatchObject({
      durationMSec: 100,
      cpuMSec: 30,
      processorWaitMSec: 20,
    });
  });

  it('say how late a timer was, however long the thread took to read its other clocks at first', async () => {
    const clocks = new Clocks();
    const busyUntil = (time: number) => {
      while (performance.now() < time);
    };
    clocks.now = () => performance.now();
    clocks.cpu = () => {
      busyUntil(performance.now() + 50);
      return 0;
    };
    const { runs } = observed(clocks);
    clocks.cpu = () => 0;
    let late = 0;
    await log.activity('Work', {}, async () => {
      const armed = performance.now();
      const fired = setTimeout(20);
      busyUntil(armed + 40);
      await fired;
      late = performance.now() - armed - 20;
    });
    finish();
    const { lateMSec = Number.NaN } = runs.find(({ wokenBy }) => wokenBy === 'timer') ?? {};
    expect(lateMSec).toBeGreaterThan(18);
    // The clock of timers has whole milliseconds.
    expect(lateMSec).toBeLessThan(late + 2);
  });

  it('are written so far when a trace ends', () => {
    const { clocks, runs, observing } = observed();
    clocks.run(7);
    observing.flush();
    expect(runs.at(-1)).toMatchObject({ durationMSec: 7 });
  });
});
