/**
 * ActivityTracker: the scenarios of "EventSource Activity Support", in its words, and .NET's further rules. A test's
 * `context` is that of one thread or task; a task spawned from it starts with the same value.
 */
import { describe, expect, it } from 'vitest';
import { type Activity, type ActivityContext, ActivityOptions } from '../../lib/activity/activity.ts';
import { Guid } from '../../lib/activity/guid.ts';
import { formatActivityPath, parseActivityPath } from '../../lib/activity/path.ts';
import { ActivityTracker } from '../../lib/activity/tracker.ts';

const G1 = Guid.parse('11111111-2222-3333-4444-555555555555');
const G2 = Guid.parse('99999999-2222-3333-4444-555555555555');

/** One thread or task: its current context and the ids its events get, as paths. */
class Flow {
  readonly tracker: ActivityTracker;
  context: ActivityContext | undefined;

  constructor(tracker: ActivityTracker, context?: ActivityContext) {
    this.tracker = tracker;
    this.context = context;
  }

  get current(): string | undefined {
    return show(this.tracker.currentActivityId(this.context));
  }

  spawn(): Flow {
    return new Flow(this.tracker, this.context);
  }

  start(name: string, options: number = ActivityOptions.None): Activity {
    const activity = this.tracker.start(this.context, name, options);
    if (activity === undefined) throw new Error(`"${name}" is nested too deep to start.`);
    this.context = activity;
    return activity;
  }

  /** Logs a stop event; gives the id that it carries. */
  stop(name: string): string | undefined {
    const activity = this.tracker.find(this.context, name);
    if (activity === undefined) return this.current;
    this.context = this.tracker.stop(this.context, activity);
    return show(activity.id);
  }

  set(id: Guid): void {
    this.context = this.tracker.setActivityId(this.context, id);
  }
}

const show = (id: Guid | undefined) => id && formatActivityPath(id);
const newFlow = () => new Flow(new ActivityTracker(1, 4242));

/** Thread A "executing the Activity //1/5". */
function newThreadA(): Flow {
  const flow = newFlow();
  flow.tracker.lastTopLevelNumber = 4;
  flow.start('Loop');
  return flow;
}

describe('a start', () => {
  it('returns an id that begins with the thread number and the next top-level number', () => {
    const tracker = new ActivityTracker(3, 4242);
    expect(show(new Flow(tracker).start('Request').id)).toBe('//3/1');
    expect(show(new Flow(tracker).start('Request').id)).toBe('//3/2');
  });

  it('concatenates the next number of the current activity to its id', () => {
    const thread = newThreadA();
    expect(show(thread.start('Request').id)).toBe('//1/5/1');
    thread.stop('Request');
    expect(show(thread.start('Request').id)).toBe('//1/5/2');
  });

  it('makes the new activity current, and the previous one the related activity', () => {
    const thread = newThreadA();
    const request = thread.start('Request');
    expect(thread.current).toBe('//1/5/1');
    expect(show(request.relatedActivityId)).toBe('//1/5');
    expect(request.level).toBe(1);
  });

  it('at top level has no related activity', () => {
    expect(newFlow().start('Request').relatedActivityId).toBeUndefined();
  });

  it('writes the process id into the checksum, or the 2016 form for process id 0', () => {
    const idOf = (processId: number) => new Flow(new ActivityTracker(1, processId)).start('Request').id;
    expect(idOf(1234).toString()).toBe('00000011-0000-0000-0000-00006c9d9d59');
    expect(idOf(0).toString()).toBe('00000011-0000-0000-0000-0000be999d59');
  });

  it('rolls the top-level number over after 2^32 - 1', () => {
    const flow = newFlow();
    flow.tracker.lastTopLevelNumber = 0xffffffff;
    expect(show(flow.start('Request').id)).toBe('//1/0');
  });
});

describe('concurrent tasks', () => {
  it('diverge if each child task logs its own start', () => {
    const threadA = newThreadA();
    const taskB = threadA.spawn();
    const taskC = threadA.spawn();
    expect(show(taskB.start('Request').id)).toBe('//1/5/1');
    expect(show(taskC.start('Security').id)).toBe('//1/5/2');
    expect([threadA.current, taskB.current, taskC.current]).toEqual(['//1/5', '//1/5/1', '//1/5/2']);
    // "The stops events can occur in any order".
    expect(taskB.stop('Request')).toBe('//1/5/1');
    expect(taskC.stop('Security')).toBe('//1/5/2');
    expect([taskB.current, taskC.current]).toEqual(['//1/5', '//1/5']);
  });

  it('nest if one thread logs both starts without spawning tasks', () => {
    const threadA = newThreadA();
    expect(show(threadA.start('Request').id)).toBe('//1/5/1');
    expect(show(threadA.start('Security').id)).toBe('//1/5/1/1');
  });

  it('fall back to no activity if the one they ran in is stopped elsewhere', () => {
    const parent = newFlow();
    parent.start('Request');
    const task = parent.spawn();
    task.start('Security');
    parent.stop('Request');
    expect(task.current).toBe('//1/1/1');
    expect(task.stop('Security')).toBe('//1/1/1');
    expect(task.current).toBeUndefined();
  });

  it('continue numbering under an activity that was stopped elsewhere', () => {
    const parent = newFlow();
    parent.start('Request');
    const task = parent.spawn();
    parent.stop('Request');
    const security = task.start('Security');
    expect(show(security.id)).toBe('//1/1/1');
    expect(security.relatedActivityId).toBeUndefined();
  });
});

describe('properly nested stops', () => {
  it('restore the state, as if the pair had never occurred', () => {
    const thread = newThreadA();
    const before = thread.context;
    thread.start('Request');
    thread.start('Security');
    expect(thread.stop('Security')).toBe('//1/5/1/1');
    expect(thread.current).toBe('//1/5/1');
    expect(thread.stop('Request')).toBe('//1/5/1');
    expect(thread.context).toBe(before);
  });
});

describe('non-nested stops', () => {
  it('kill the activity that was left open, whose own stop is then ignored', () => {
    const thread = newThreadA();
    thread.start('Request');
    thread.start('Security');
    expect(thread.current).toBe('//1/5/1/1');
    expect(thread.stop('Request')).toBe('//1/5/1');
    expect(thread.current).toBe('//1/5');
    expect(thread.stop('Security')).toBe('//1/5');
    expect(thread.current).toBe('//1/5');
  });

  it('keep a Detachable activity alive and make it current', () => {
    const thread = newFlow();
    thread.start('Outer');
    thread.start('Inner', ActivityOptions.Detachable);
    const leaf = thread.start('Leaf');
    expect(thread.stop('Outer')).toBe('//1/1');
    expect(leaf.stopped).toBe(true);
    expect(thread.current).toBe('//1/1/1');
    expect(show(thread.start('Next').id)).toBe('//1/1/1/2');
    thread.stop('Next');
    expect(thread.stop('Inner')).toBe('//1/1/1');
    expect(thread.current).toBeUndefined();
  });

  it('make the innermost of several Detachable activities current', () => {
    const thread = newFlow();
    thread.start('Outer');
    thread.start('Middle', ActivityOptions.Detachable);
    thread.start('Inner', ActivityOptions.Detachable);
    thread.stop('Outer');
    expect(thread.current).toBe('//1/1/1/1');
    thread.stop('Inner');
    expect(thread.current).toBe('//1/1/1');
  });
});

describe('missing starts', () => {
  it('cause the stop to be ignored', () => {
    const thread = newThreadA();
    const before = thread.context;
    expect(thread.stop('Request')).toBe('//1/5');
    expect(thread.context).toBe(before);
  });

  it('cause a second stop to be ignored', () => {
    const thread = newThreadA();
    thread.start('Request');
    thread.stop('Request');
    expect(thread.stop('Request')).toBe('//1/5');
  });
});

describe('missing stops', () => {
  it('do not leak: the next start with the same name stops the activity', () => {
    const thread = newThreadA();
    const requests = [1, 2, 3, 4].map(() => thread.start('Request'));
    expect(requests.map(({ id }) => show(id))).toEqual(['//1/5/1', '//1/5/2', '//1/5/3', '//1/5/4']);
    expect(requests.map(({ stopped }) => stopped)).toEqual([true, true, true, false]);
    expect(requests.map(({ relatedActivityId }) => show(relatedActivityId))).toEqual(Array(4).fill('//1/5'));
  });

  it('do not leak if something else was started in between', () => {
    const thread = newFlow();
    thread.start('Request');
    const database = thread.start('Database');
    const second = thread.start('Request');
    expect(show(second.id)).toBe('//1/2');
    expect(second.relatedActivityId).toBeUndefined();
    expect(database.stopped).toBe(true);
  });

  it('on another thread do not matter', () => {
    const threadA = newThreadA();
    const taskB = threadA.spawn();
    const taskC = threadA.spawn();
    const request = taskB.start('Request');
    taskC.start('Request');
    expect(request.stopped).toBe(false);
  });
});

describe('recursion', () => {
  it('nests if the activity is declared Recursive', () => {
    const thread = newThreadA();
    const starts = [1, 2, 3, 4].map(() => show(thread.start('Request', ActivityOptions.Recursive).id));
    expect(starts).toEqual(['//1/5/1', '//1/5/1/1', '//1/5/1/1/1', '//1/5/1/1/1/1']);
    const stops = [1, 2, 3, 4, 5].map(() => thread.stop('Request'));
    expect(stops).toEqual([...starts.reverse(), '//1/5']);
  });

  it('is stopped by a non-recursive activity around it', () => {
    const thread = newThreadA();
    thread.start('Enclosing');
    const lost = [1, 2, 3].map(() => thread.start('Request', ActivityOptions.Recursive));
    expect(show(thread.start('Enclosing').id)).toBe('//1/5/2');
    expect(lost.every(({ stopped }) => stopped)).toBe(true);
  });
});

describe('a stop by handle', () => {
  it('from another context stops only that activity', () => {
    const thread = newThreadA();
    const task = thread.spawn();
    const request = task.start('Request');
    const before = thread.context;
    thread.context = thread.tracker.stop(thread.context, request);
    expect(thread.context).toBe(before);
    expect(request.stopped).toBe(true);
    expect(task.current).toBe('//1/5');
  });

  it('from a context inside it stops everything left open there', () => {
    const thread = newThreadA();
    const request = thread.start('Request');
    const security = thread.start('Security');
    thread.context = thread.tracker.stop(thread.context, request);
    expect(security.stopped).toBe(true);
    expect(thread.current).toBe('//1/5');
  });

  it('from a context without an activity keeps it that way', () => {
    const { tracker } = newFlow();
    const request = new Flow(tracker).start('Request');
    expect(tracker.stop(undefined, request)).toBeUndefined();
    expect(request.stopped).toBe(true);
  });

  it('has no effect the second time', () => {
    const thread = newThreadA();
    const request = thread.start('Request');
    thread.context = thread.tracker.stop(thread.context, request);
    const after = thread.start('Security');
    expect(thread.tracker.stop(thread.context, request)).toBe(after);
    expect(after.stopped).toBe(false);
  });
});

describe('an id set by hand', () => {
  it('is current until a start, which is related to it, and again after the stop', () => {
    const thread = newFlow();
    thread.set(G1);
    expect(thread.current).toBe(G1.toString());
    const a = thread.start('A');
    expect(a.relatedActivityId).toBe(G1);
    expect(thread.current).toBe('//1/1');
    expect(thread.stop('A')).toBe('//1/1');
    expect(thread.current).toBe(G1.toString());
  });

  it('in an activity belongs to it: stopping the activity restores what was before', () => {
    const thread = newFlow();
    thread.set(G1);
    thread.start('A');
    thread.set(G2);
    const b = thread.start('B');
    expect(show(b.id)).toBe('//1/1/1');
    expect(b.relatedActivityId).toBe(G2);
    thread.stop('B');
    expect(thread.current).toBe(G2.toString());
    thread.stop('A');
    expect(thread.current).toBe(G1.toString());
  });

  it('is not restored when a stop undoes several starts', () => {
    const thread = newFlow();
    thread.set(G1);
    thread.start('Outer');
    thread.start('Inner');
    thread.stop('Outer');
    expect(thread.current).toBeUndefined();
  });

  it("that equals the activity's own id follows that activity", () => {
    const parent = newFlow();
    const request = parent.start('Request');
    const task = parent.spawn();
    task.set(request.id);
    task.start('Security');
    parent.stop('Request');
    task.stop('Security');
    expect(task.current).toBeUndefined();
  });

  it('means no id if empty', () => {
    const thread = newThreadA();
    thread.set(Guid.empty);
    expect(thread.current).toBeUndefined();
    expect(thread.start('Request').relatedActivityId).toBeUndefined();
    thread.stop('Request');
    expect(thread.current).toBeUndefined();
  });
});

describe('deeply nested activities', () => {
  const nest = (flow: Flow, count: number): Activity[] =>
    Array.from({ length: count }, () => flow.start('Nested', ActivityOptions.Recursive));

  it('stop storing the path, but stay unique', () => {
    const nested = nest(newFlow(), 100);
    expect(new Set(nested.map(({ id }) => id.toString())).size).toBe(100);
    expect(parseActivityPath((nested[22] as Activity).id)?.overflow).toBe(false);
    expect(nested.slice(23).every(({ id }) => parseActivityPath(id)?.overflow)).toBe(true);
  });

  it('are attached to the nearest ancestor with room, using its own numbers', () => {
    const nested = nest(newFlow(), 25);
    const room = '//1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1';
    expect(nested.slice(23).map(({ id }) => show(id))).toEqual([`${room}$2`, `${room}$3`]);
  });

  it('are linked by their related ids: each one names its parent', () => {
    const nested = nest(newFlow(), 60);
    for (const [level, activity] of nested.entries()) {
      expect(activity.relatedActivityId).toBe(nested[level - 1]?.id);
    }
  });

  it('are limited to 101: a start inside the 101st changes nothing', () => {
    const thread = newFlow();
    nest(thread, 101);
    const { context } = thread;
    expect(thread.tracker.start(context, 'Nested', ActivityOptions.None)).toBeUndefined();
    expect(thread.tracker.find(context, 'Nested')).toBe(context);
    thread.stop('Nested');
    expect(thread.tracker.start(thread.context, 'Other', ActivityOptions.None)).toBeDefined();
  });

  it("share their parent's id if thread and top-level numbers alone fill the path", () => {
    const thread = new Flow(new ActivityTracker(0x80000000, 4242));
    thread.tracker.lastTopLevelNumber = 0x2000000;
    const nested = nest(thread, 6);
    expect(show(nested[4]?.id)).toBe('//2147483648/33554433/1/1/1/1');
    expect(nested[5]?.id).toBe(nested[4]?.id);
  });
});

describe('the open activities', () => {
  const starter = { provider: 'Shop', task: 'Order', tellOpen: () => {} };
  const list = (flow: Flow, name: string) => {
    const activity = flow.start(name);
    flow.tracker.list(activity, { time: 0n, starter, payload: undefined, resource: undefined });
    return activity;
  };
  const paths = ({ tracker }: Flow) => tracker.open().map(({ id }) => show(id));

  it('are those that have started and not stopped, oldest first', () => {
    const flow = newFlow();
    list(flow, 'Outer');
    const other = flow.spawn();
    list(flow, 'Inner');
    list(other, 'Beside');
    expect(paths(flow)).toEqual(['//1/1', '//1/1/1', '//1/1/2']);
    flow.stop('Inner');
    expect(paths(flow)).toEqual(['//1/1', '//1/1/2']);
    other.stop('Beside');
    other.stop('Outer');
    expect(paths(flow)).toEqual([]);
  });

  it('end with the one around them', () => {
    const flow = newFlow();
    list(flow, 'Outer');
    list(flow, 'Inner');
    flow.stop('Outer');
    expect(paths(flow)).toEqual([]);
  });

  it('keep nothing of their start when they have stopped', () => {
    const flow = newFlow();
    const activity = list(flow, 'Outer');
    expect(activity.start).toBeDefined();
    flow.stop('Outer');
    expect(activity).toMatchObject({ start: undefined, older: undefined, newer: undefined });
  });

  it('are limited: the latest are listed', () => {
    const { tracker } = newFlow();
    const all = Array.from({ length: 10_050 }, () => {
      const activity = tracker.start(undefined, 'Order', ActivityOptions.None) as Activity;
      tracker.list(activity, { time: 0n, starter, payload: undefined, resource: undefined });
      return activity;
    });
    expect(tracker.open()).toEqual(all.slice(50));
    for (const activity of all) tracker.stop(undefined, activity);
    expect(tracker.open()).toEqual([]);
  });
});
