import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { type ChargedSample, ChargedSamples } from '../../../lib/view/cpu/charged-samples.ts';
import { CpuActivities, type CpuName } from '../../../lib/view/cpu/cpu-activities.ts';
import { CpuProfile } from '../../../lib/view/cpu/cpu-profile.ts';
import { FrameNames } from '../../../lib/view/cpu/frame-names.ts';
import type { TracedActivity } from '../../../lib/view/traced-activity.ts';
import { eventAt, switchedAt } from './events-at.ts';

const ID = {
  request: '00000011-0000-0000-0000-0000aabbccdd',
  query: '00000011-0000-0000-0000-0000aabbccee',
} as const;
type Name = keyof typeof ID;

const start = (timeMs: number, name: Name, parent?: Name) =>
  eventAt(timeMs, {
    provider: 'App',
    name: `${name}Start`,
    opcode: 1,
    activityId: ID[name],
    relatedActivityId: parent && ID[parent],
  });
const switched = (timeMs: number, name?: Name) => switchedAt(timeMs, name && ID[name]);
const v8 = (timeMs: number, Type = 2, ...stack: bigint[]) =>
  eventAt(timeMs, {
    provider: 'Microsoft-DotNETCore-SampleProfiler',
    name: 'Thread/Sample',
    payload: { Type },
    stack: stack.length > 0 ? stack : [1n],
  });
const perf = (timeMs: number, name = 'cpu-clock', period?: bigint) =>
  eventAt(timeMs, { provider: 'perf', name, stack: [1n], payload: period === undefined ? {} : { period } });

function read(
  events: readonly TraceEvent[],
  isRoot?: (event: TraceEvent, activity: TracedActivity) => boolean,
) {
  const names = new FrameNames();
  const profile = new CpuProfile(names);
  const activities = new CpuActivities(isRoot);
  const taken: ChargedSample[] = [];
  const samples: ChargedSamples = new ChargedSamples(activities.activities, names, (sample) => {
    taken.push(sample);
    if (sample.isBusy) activities.addSample(sample);
  });
  for (const each of events) {
    activities.add(each);
    const stack = profile.take(each);
    if (stack === undefined) samples.addEvent(each);
    else samples.addSample(each, stack);
  }
  samples.end();
  const msOf = ({ ns, intervals }: CpuName['total']) => (ns + intervals * samples.intervalNs) / 1e6;
  const treeOf = (names: ReadonlyMap<string, CpuName>): object =>
    Object.fromEntries(
      [...names.values()].map(({ name, activities: count, total, self, inside }) => [
        name,
        [count, msOf(total), msOf(self), treeOf(inside)],
      ]),
    );
  return { taken, tree: treeOf(activities.names()), activities };
}

describe("A sample's CPU time", () => {
  const times = (events: readonly TraceEvent[]) => read(events).taken.map(({ ns }) => ns && ns / 1e6);

  it('is the time until the next sample of V8, unless some are missing', () => {
    expect(times([v8(1), v8(2), v8(3.5), v8(20, 1), v8(30)])).toEqual([
      1,
      1.5,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is the period of perf, if that is a time', () => {
    const ofEach = (name: string) => times([perf(1, name, 10n), perf(5, name, 20n)]);
    expect(ofEach('cpu-clock')).toEqual([1e-5, 2e-5]);
    expect(ofEach('cpu-clock:u')).toEqual([1e-5, 2e-5]);
    expect(ofEach('cycles')).toEqual([undefined, undefined]);
  });

  it('is that of the first event of perf, where there are several', () => {
    const samples = [perf(1, 'cpu-clock', 10n), perf(1, 'task-clock', 10n), perf(2, 'cpu-clock', 10n)];
    expect(times(samples)).toEqual([1e-5, 1e-5]);
  });

  it('is the interval of ETW, a millisecond unless it says otherwise', () => {
    const kernel = (timeMs: number, name: string, payload = {}) =>
      eventAt(timeMs, { provider: 'Windows Kernel', name, payload, stack: [1n] });
    const faster = { SampleSource: 0, NewInterval: 5000 };
    expect(
      times([
        kernel(1, 'PerfInfo/Sample'),
        kernel(1, 'PerfInfo/CollectionStart', faster),
        kernel(2, 'PerfInfo/Sample'),
      ]),
    ).toEqual([1, 0.5]);
  });
});

describe('CPU time', () => {
  const events = [
    v8(0),
    start(1, 'request'),
    switched(1, 'request'),
    v8(1),
    v8(2),
    start(3, 'query', 'request'),
    switched(3, 'query'),
    v8(3),
    v8(4, 1),
    switched(5),
    v8(5),
    v8(6),
  ];

  it('belongs to activities and those around them; waiting is none', () => {
    expect(read(events).tree).toEqual({
      '(threads without activity switches)': [0, 1, 1, {}],
      'App/request': [1, 3, 2, { 'App/query': [1, 1, 1, {}] }],
      '(no activity)': [0, 2, 2, {}],
    });
  });

  it('can be selected by activity', () => {
    const { tree, activities } = read(events, (_, { task }) => task === 'query');
    expect(tree).toEqual({ 'App/query': [1, 1, 1, {}] });
    expect(activities.all.samples).toBe(6);
    expect(activities.charged.samples).toBe(3);
  });

  it('may belong to an activity whose start is not in the trace', () => {
    expect(read([switched(1, 'query'), v8(1), v8(2, 1)]).tree).toEqual({
      '(activities without a start)': [0, 1, 1, {}],
    });
  });
});

/** What the system says about the thread up to this time. */
const times = (timeMs: number, threadCpuMSec: number, loopIdleMSec = -1, name = 'ThreadTimes') =>
  eventAt(timeMs, { provider: 'Node.Runtime', name, payload: { threadCpuMSec, loopIdleMSec } });

describe('A thread that is sampled while it has no processor', () => {
  const everyMs = (from: number, to: number, Type = 2) =>
    Array.from({ length: to - from }, (_, i) => v8(from + i, Type));
  const shown = (events: readonly TraceEvent[]) => {
    const { ns, offNs, samples } = read(events).activities.all;
    return { samples, cpuMs: Math.round(ns / 1e4) / 100, offMs: Math.round(offNs / 1e4) / 100 };
  };

  it('has the CPU time of its own clock, and waits for the rest', () => {
    const events = [times(0, 50), ...everyMs(0, 400), times(400, 56), v8(400, 1)];
    expect(shown(events)).toEqual({ samples: 400, cpuMs: 6, offMs: 394 });
  });

  it('has each time in the activity in which it was', () => {
    const { tree } = read([
      start(0, 'request'),
      switchedAt(0, ID.request, { threadCpuMSec: 10 }),
      ...everyMs(0, 100),
      switchedAt(100, undefined, { threadCpuMSec: 13 }),
      ...everyMs(100, 200),
      times(200, 113),
      v8(200, 1),
    ]);
    expect(tree).toMatchObject({ 'App/request': [1, 3, 3, {}], '(no activity)': [0, 100, 100, {}] });
  });

  it('has the whole time of a sample until the next one, however late it is', () => {
    const events = [times(0, 0), ...everyMs(0, 10), v8(60), times(70, 70), v8(70, 1)];
    expect(shown(events)).toEqual({ samples: 11, cpuMs: 70, offMs: 0 });
  });

  it('has as much CPU time as short runs take, whether a sample meets them or not', () => {
    const events = Array.from({ length: 100 }, (_, i) => [
      times(5 * i, i / 2),
      // Every second run of half a millisecond has a sample.
      v8(5 * i + 1, i % 2 === 0 ? 2 : 1),
      v8(5 * i + 2, 1),
    ]).flat();
    const { cpuMs } = shown([...events, times(500, 50)]);
    expect(cpuMs).toBeGreaterThan(45);
    expect(cpuMs).toBeLessThan(51);
  });

  it('is on a processor in all samples where nobody has read its clock', () => {
    expect(shown([times(0, -1), ...everyMs(0, 10), times(10, -1), v8(10, 1)])).toMatchObject({ offMs: 0 });
  });
});
