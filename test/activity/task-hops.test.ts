/**
 * The runs of activities as .NET's tasks. A model of TraceEvent's rules reads them: a Start belongs to its thread's task
 * from then on, a task begins with the activity of the task that scheduled it, and time is charged to the activity of
 * the thread's task.
 */
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { ActivityFlow } from '../../lib/activity/flow.ts';
import type { Guid } from '../../lib/activity/guid.ts';
import { TaskHops } from '../../lib/activity/task-hops.ts';
import { ActivityTracker } from '../../lib/activity/tracker.ts';

/** TraceEvent's ActivityComputer and StartStopActivityComputer, for one thread. */
class TraceEventRules {
  readonly scheduledTasks = new Map<number, { activity: string | undefined }>();
  readonly stack: { activity: string | undefined }[] = [{ activity: undefined }];
  readonly creators = new Map<string, string | undefined>();
  readonly stopped = new Set<string>();

  get task() {
    return this.stack.at(-1) as { activity: string | undefined };
  }

  /** What time is charged to. */
  get charged(): string | undefined {
    let { activity } = this.task;
    while (activity !== undefined && this.stopped.has(activity)) activity = this.creators.get(activity);
    return activity;
  }

  start(name: string, creator: string | undefined): void {
    this.creators.set(name, creator);
    this.task.activity = name;
  }

  stop(name: string): void {
    this.stopped.add(name);
    this.task.activity = this.creators.get(name);
  }

  scheduled(task: number): void {
    if (this.scheduledTasks.has(task)) throw new Error(`Task ${task} is scheduled twice.`);
    this.scheduledTasks.set(task, { activity: this.task.activity });
  }

  started(task: number): void {
    const started = this.scheduledTasks.get(task);
    if (started === undefined) throw new Error(`Task ${task} is started without being scheduled.`);
    this.stack.push(started);
  }

  completed(task: number): void {
    if (this.scheduledTasks.get(task) !== this.stack.pop()) throw new Error(`Task ${task} is not the last.`);
    this.scheduledTasks.delete(task);
  }
}

let flow: ActivityFlow;
let tracker: ActivityTracker;
let rules: TraceEventRules;
let charged: [is: string | undefined, shouldBe: string | undefined][];

const pathOf = (id: Guid | undefined) => id?.toString();

beforeEach(() => {
  flow = new ActivityFlow();
  flow.keepWhile(() => true);
  tracker = new ActivityTracker(1, 1);
  rules = new TraceEventRules();
  charged = [];
});

const observe = () => new TaskHops({ flow, tracker }, rules, 0).observe();

/** Some time passes: a sample is charged. */
const sample = () => charged.push([rules.charged, pathOf(tracker.currentActivityId(flow.context))]);

/** Like `log.activity`. */
async function activity(name: string, work: () => Promise<void>): Promise<void> {
  const started = tracker.start(flow.context, name, 0);
  if (started === undefined) throw new Error('Too deep.');
  const id = String(started.id);
  rules.start(id, pathOf(started.relatedActivityId));
  await flow.run(started, async () => {
    await work();
    rules.stop(id);
    tracker.stop(flow.context, started);
  });
}

const expectRightCharges = () => {
  expect(charged.length).toBeGreaterThan(0);
  for (const [is, shouldBe] of charged) expect(is).toBe(shouldBe);
};

describe('Tasks of activities', () => {
  it('keep four concurrent requests of a thread apart, and their children', async () => {
    const end = observe();
    const request = (index: number) =>
      activity(`Request${index}`, async () => {
        sample();
        await sleep(index);
        sample();
        await activity('Query', async () => {
          sample();
          await sleep(2);
          sample();
        });
        sample();
        await immediate();
        sample();
      });
    await Promise.all(
      [1, 2, 3, 4].map((index) => {
        sample();
        const requested = request(index);
        sample();
        return requested;
      }),
    );
    sample();
    end();
    expectRightCharges();
    expect(rules.stack).toHaveLength(1);
  });

  it('charge nothing to the wrong activity when observed from its middle on', async () => {
    let end = () => {};
    await Promise.all([
      activity('Early', async () => {
        await sleep(3);
        charged.push([rules.charged, undefined]);
        await sleep(1);
      }),
      (async () => {
        rules = new TraceEventRules();
        end = observe();
        await activity('Late', async () => {
          sample();
          await sleep(5);
          sample();
        });
      })(),
    ]);
    end();
    expectRightCharges();
  });

  it('are not written for what their readers do', () => {
    let count = 0;
    const write = () => {
      count++;
      void activity('Reader', async () => {});
    };
    const end = new TaskHops(
      { flow, tracker },
      { scheduled: write, started: write, completed: write },
      0,
    ).observe();
    end();
    expect(count).toBeLessThan(10);
  });
});
