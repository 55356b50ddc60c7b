/** Matching starts and stops by the rules of "EventSource Activity Support". */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { TraceActivities } from '../../lib/view/trace-activities.ts';
import type { TracedActivity } from '../../lib/view/traced-activity.ts';
import { pathId } from './path-id.ts';
import { type WrittenEvent, written } from './written-events.ts';

const GUID = '3c7b4ef5-1c2d-4e5f-8a9b-0c1d2e3f4a5b';
const OTHER_GUID = '9d2f6a11-7777-4e5f-8a9b-0c1d2e3f4a5b';

/** The activities of the events, one event a millisecond. */
function track(...events: Omit<WrittenEvent, 'at'>[]): TracedActivity[] {
  return trackEvents(events.map((event, at) => written({ ...event, at })));
}

function trackEvents(events: readonly TraceEvent[]): TracedActivity[] {
  const tracker = new TraceActivities();
  const found = new Set<TracedActivity>();
  for (const event of events) {
    const change = tracker.add(event);
    if (change !== undefined) found.add(change.activity);
  }
  return [...found];
}

/** `Request > Db stopped 1..3` */
function told(activity: TracedActivity): string {
  const { parent, task, state, startNs, endNs } = activity;
  const end = endNs === undefined ? '' : endNs / 1e6;
  return `${parent === undefined ? '' : `${parent.task} > `}${task} ${state} ${startNs / 1e6}..${end}`;
}

const start = (task: string, id: string, related?: string) => ({
  name: `${task}Start`,
  id,
  ...(related === undefined ? {} : { related }),
});
const stop = (task: string, id: string) => ({ name: `${task}Stop`, id });

describe('an activity', () => {
  it('lasts from the start to the stop with its id, on any thread', () => {
    const [activity] = track(
      { ...start('Request', '//1/1'), threadId: 7, payload: { size: 5, url: 'http://site/', user: 'me' } },
      { name: 'Log', id: '//1/1' },
      { ...stop('Request', '//1/1'), threadId: 8 },
    );
    expect(activity).toMatchObject({
      index: 0,
      name: 'Demo/Request',
      label: 'Request(//1/1/,/url=http://site/)',
      startThreadId: 7,
      stopThreadId: 8,
      state: 'stopped',
      durationNs: 2e6,
      selfNs: 2e6,
    });
  });

  it('shows a number from its start if that has no text', () => {
    const label = (payload: Record<string, unknown>) =>
      track({ ...start('Order', '//1/1'), payload: payload as never })[0]?.label;
    expect(label({ bytes: new Uint8Array(2), number: 2n ** 63n, count: 3 })).toBe(
      'Order(//1/1/,/number=9223372036854775808)',
    );
    expect(label({ ready: true })).toBe('Order(//1/1/,/ready=true)');
    expect(label({ number: 7, name: 'seven' })).toBe('Order(//1/1/,/name=seven)');
    expect(label({ list: [1] })).toBe('Order(//1/1/)');
  });

  it('is named by the task if the events are not named by Start and Stop', () => {
    const begin = { name: 'Begin', opcode: 1, taskName: 'Job', id: '//1/1' };
    const end = { name: 'End', opcode: 2, taskName: 'Job', id: '//1/1' };
    expect(track(begin, end).map(told)).toEqual(['Job stopped 0..1']);
    expect(track({ ...begin, name: 'Demo/Job/Start' }, { ...end, name: 'JobStop' }).map(told)).toEqual([
      'Job stopped 0..1',
    ]);
  });

  it('requires an id, and an opcode that does not contradict the name', () => {
    const tracker = new TraceActivities();
    expect(tracker.add(written({ name: 'GCStart', at: 0 }))).toBeUndefined();
    expect(tracker.add(written({ name: 'Kickstart', at: 0, id: '//1/1' }))).toBeUndefined();
    expect(tracker.add(written({ name: 'ReplyStop', opcode: 9, at: 0, id: '//1/1' }))).toBeUndefined();
    expect(tracker.startsWithoutId).toBe(1);
  });

  it('is open without a stop', () => {
    expect(track(start('Request', '//1/1')).map(told)).toEqual(['Request open 0..']);
  });

  it('is unstarted without a start', () => {
    expect(track(stop('Request', '//1/1')).map(told)).toEqual(['Request unstarted 0..0']);
  });

  it('is not stopped by a stop with another name', () => {
    const found = track(start('Request', '//1/1'), stop('Security', '//1/1'), stop('Request', '//1/1'));
    expect(found.map(told)).toEqual(['Request stopped 0..2', 'Request > Security unstarted 1..1']);
  });

  it('stays open if its id is started again', () => {
    const found = track(start('Request', '//1/1'), start('Request', '//1/1'), stop('Request', '//1/1'));
    expect(found.map(told)).toEqual(['Request open 0..', 'Request stopped 1..2']);
  });

  it('belongs to one process: ids of the 2016 form do not contain it', () => {
    const first = { ...start('Request', '//1/1'), processId: 1 };
    const second = { ...start('Request', '//1/1'), processId: 2 };
    const child = { ...start('Db', '//1/1/1', '//1/1'), processId: 1 };
    const end = { ...stop('Request', '//1/1'), processId: 1 };
    const found = track(first, second, child, end);
    expect(found.map((activity) => `${activity.processId} ${told(activity)}`)).toEqual([
      '1 Request stopped 0..3',
      '2 Request open 1..',
      '1 Request > Db killed 2..3',
    ]);
  });

  it("is found by a path whose process id differs from the trace's, or is large", () => {
    for (const processId of [1, 2_125_233]) {
      const [first, second] = [pathId('//1/1', processId), pathId('//1/1/2', processId)];
      const found = track(
        { ...start('Request', first), processId: 2_125_233 },
        { ...start('Db', second), processId: 2_125_233 },
      );
      expect(found.map(told)).toEqual(['Request open 0..', 'Request > Db open 1..']);
      expect(found[1]?.label).toBe(`Db(/#${processId}/1/1/2/)`);
    }
  });
});

describe('the parent', () => {
  it('is the activity of the related id rather than that of the path', () => {
    const found = track(start('A', '//1/1'), start('B', '//1/2'), start('C', '//1/1/1', '//1/2'));
    expect(found.map(told)).toContain('B > C open 2..');
  });

  it('is the nearest one on the path if the related id is unknown', () => {
    const found = track(start('A', '//1/1'), start('B', '//1/1/3/5', '//1/1/3'), start('C', '//1/2', '//1'));
    expect(found.map(told)).toEqual(['A open 0..', 'A > B open 1..', 'C open 2..']);
  });

  it('may have stopped before', () => {
    const found = track(start('A', '//1/1'), stop('A', '//1/1'), start('B', '//1/1/1', '//1/1'));
    expect(found.map(told)).toEqual(['A stopped 0..1', 'A > B open 2..']);
  });

  it('for ids that are not paths is the one with the same id, otherwise the last of the thread', () => {
    const sameId = track(
      start('Request', GUID),
      start('Db', GUID),
      stop('Db', GUID),
      stop('Request', GUID),
      start('Request', GUID),
    );
    expect(sameId.map(told)).toEqual([
      'Request stopped 0..3',
      'Request > Db stopped 1..2',
      'Request open 4..',
    ]);
    const byThread = track(start('A', GUID), start('B', OTHER_GUID), { ...start('C', GUID), threadId: 2 });
    expect(byThread.map(told)).toEqual(['A open 0..', 'A > B open 1..', 'A > C open 2..']);
  });

  it('for a path is never guessed from the thread', () => {
    const found = track(start('Request', '//1/1'), start('Request', '//1/2'));
    expect(found.map(told)).toEqual(['Request open 0..', 'Request open 1..']);
  });

  it('is found through overflow ids, to any depth', () => {
    const ids = Array.from({ length: 1000 }, (_, i) => (i === 0 ? '//1/1' : `//1/1$${i}`));
    const found = track(...ids.map((id, i) => start('Level', id, ids[i - 1])));
    expect(found.map(({ depth }) => depth)).toEqual(ids.map((_, i) => i));
    const [, overflow] = track(start('Root', '//1/1'), start('Deep', '//1/1$7'));
    expect(overflow && told(overflow)).toBe('Root > Deep open 1..');
  });
});

describe('an activity whose stop is missing', () => {
  it('ends with its enclosing activity, and is marked', () => {
    const found = track(
      start('Request', '//1/1'),
      start('Security', '//1/1/1', '//1/1'),
      start('Db', '//1/1/1/1', '//1/1/1'),
      stop('Request', '//1/1'),
      // Where the tracker has killed an activity, its stop carries the id that is current then.
      stop('Security', '//1'),
    );
    expect(found.map(told)).toEqual([
      'Request stopped 0..3',
      'Request > Security killed 1..3',
      'Security > Db killed 2..3',
      'Security unstarted 4..4',
    ]);
  });

  it('was alive in a flow of its own if its stop comes later', () => {
    const found = track(
      start('Request', '//1/1'),
      start('Mail', '//1/1/1', '//1/1'),
      stop('Request', '//1/1'),
      stop('Mail', '//1/1/1'),
    );
    expect(found.map(told)).toEqual(['Request stopped 0..2', 'Request > Mail stopped 1..3']);
  });

  it('also ends with the activity around an ended parent', () => {
    const found = track(
      start('Loop', '//1/1'),
      start('Request', '//1/1/1', '//1/1'),
      stop('Request', '//1/1/1'),
      start('Mail', '//1/1/1/1', '//1/1/1'),
      stop('Loop', '//1/1'),
    );
    expect(found.map(told)).toContain('Request > Mail killed 3..4');
  });
});

describe('the self time', () => {
  it('is what no activity inside covers, however many overlap', () => {
    const [request] = track(
      start('Request', '//1/1'),
      start('Db', '//1/1/1', '//1/1'),
      start('Db', '//1/1/2', '//1/1'),
      stop('Db', '//1/1/1'),
      { name: 'Log', id: '//1/1/2' },
      stop('Db', '//1/1/2'),
      { name: 'Log', id: '//1/1' },
      start('Render', '//1/1/3', '//1/1'),
      stop('Request', '//1/1'),
    );
    expect(request).toMatchObject({ durationNs: 8e6, coveredNs: 5e6, selfNs: 3e6 });
  });
});

describe('a failed activity', () => {
  const failing = (name: string, payload?: Record<string, number>) => {
    const tracker = new TraceActivities();
    tracker.add(written({ name: 'System.Net.Http/RequestStart', at: 0, id: '//1/1' }));
    tracker.add(written({ name, at: 1, id: '//1/1' }));
    const stop = written({ name: 'System.Net.Http/RequestStop', at: 2, id: '//1/1', payload: payload ?? {} });
    return tracker.add(stop)?.activity.isFailed;
  };

  it('is one whose Stop says so, or an event of its provider before that', () => {
    expect(failing('System.Net.Http/RequestFailed')).toBe(true);
    expect(failing('System.Net.Http/ConnectionClosed', { statusCode: 404 })).toBe(true);
    expect(failing('System.Net.Http/ConnectionClosed', { statusCode: 200 })).toBe(false);
    expect(failing('System.Net.Http/HandshakeFailed', { statusCode: 200 })).toBe(false);
    expect(failing('Other/RequestFailed', { statusCode: 200 })).toBe(false);
  });
});

describe('activities that are no longer open', () => {
  it('are reported once they have stopped, were killed, or lost their stop', () => {
    const closed: string[] = [];
    const tracker = new TraceActivities((activity) => closed.push(told(activity)));
    const events = [
      start('Lost', '//1/9'),
      start('Request', '//1/1'),
      start('Db', '//1/1/1'),
      stop('Request', '//1/1'),
      start('Lost', '//1/9'),
    ];
    for (const [at, event] of events.entries()) tracker.add(written({ ...event, at }));
    expect(closed).toEqual(['Request stopped 1..3', 'Request > Db killed 2..3', 'Lost open 0..']);
    expect(Array.from(tracker.open(), told)).toEqual(['Lost open 4..']);
  });
});

describe('activities that have ended', () => {
  /** Whether a child that comes after so many others have ended has its parent. */
  function hasParentAfter(count: number): boolean {
    const tracker = new TraceActivities();
    const add = (name: string, id: string) => tracker.add(written({ name, at: 1, id }))?.activity;
    for (let i = 1; i <= count + 1; i++) {
      add('RequestStart', `//1/${i}`);
      add('RequestStop', `//1/${i}`);
    }
    return add('LateStart', '//1/1/1')?.parent !== undefined;
  }

  it('are known to late children until 5,000 more have ended', () => {
    expect(hasParentAfter(4999)).toBe(true);
    expect(hasParentAfter(5000)).toBe(false);
  });

  it('are known by the last one of an id', () => {
    const tracker = new TraceActivities();
    const add = (name: string, id: string) => tracker.add(written({ name, at: 1, id }))?.activity;
    for (const name of ['First', 'Second']) {
      add(`${name}Start`, '//1/1');
      add(`${name}Stop`, '//1/1');
    }
    expect(add('LateStart', '//1/1/1')?.parent?.task).toBe('Second');
  });
});

it('An event about what was there before the recording starts nothing', () => {
  const tracker = new TraceActivities();
  for (const name of ['Loader/ModuleDCStart', 'Loader/ModuleDCStop', 'PingStart']) {
    tracker.add(written({ name, at: 1 }));
  }
  expect(tracker.startsWithoutId).toBe(1);
});

describe('hostile traces', () => {
  it('are read in bounded memory: activities open for longest are given up', () => {
    const tracker = new TraceActivities();
    const count = 140_000;
    const leak = (i: number) => `//1/1$${i + 1}`;
    for (let i = 0; i < count; i++) {
      tracker.add(written({ name: 'LeakStart', at: i, id: leak(i), related: leak(Math.max(0, i - 1)) }));
    }
    const stateOfStop = (i: number) =>
      tracker.add(written({ name: 'LeakStop', at: count, id: leak(i) }))?.activity.state;
    expect(stateOfStop(0)).toBe('unstarted');
    expect(stateOfStop(count - 1)).toBe('stopped');
    expect(stateOfStop(count / 2)).toBe('stopped');
  }, 30_000);

  it('may go back in time, which never makes a duration negative', () => {
    const found = trackEvents([
      written({ name: 'RequestStart', at: 5, id: '//1/1' }),
      written({ name: 'RequestStop', at: 3, id: '//1/1' }),
    ]);
    expect(found[0]).toMatchObject({ durationNs: 0, state: 'stopped' });
  });
});

describe('an activity that was open when the recording began', () => {
  const open = (task: string, id: string, startedAgoMSec: number, related?: string) => ({
    name: `${task}DCStart`,
    id,
    opcode: 3,
    payload: { url: '/a', startedAgoMSec },
    ...(related === undefined ? {} : { related }),
  });

  it('has its true start, and the activities inside it', () => {
    const [request, query] = track(
      open('Request', '//1/1', 500),
      open('Query', '//1/1/1', 20, '//1/1'),
      stop('Query', '//1/1/1'),
      stop('Request', '//1/1'),
    );
    expect([request, query].map((each) => told(each as TracedActivity))).toEqual([
      'Request stopped -500..3',
      'Request > Query stopped -19..2',
    ]);
    expect(request).toMatchObject({ name: 'Demo/Request', extra: '/url=/a', durationNs: 503e6 });
  });

  it('is the same if another session of the process has told of it', () => {
    const activities = track(
      start('Request', '//1/1'),
      open('Request', '//1/1', 1),
      stop('Request', '//1/1'),
    );
    expect(activities.map(told)).toEqual(['Request stopped 0..2']);
  });

  it('is not what other state is: rundowns of .NET, and ages that cannot be', () => {
    const { payload: _, ...without } = open('Module', '//1/1', 1);
    expect(track(without, open('Request', '//1/2', -1), open('Request', '//1/3', Number.NaN))).toEqual([]);
  });
});
