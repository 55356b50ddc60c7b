/** The flame graph of a report: which calls it shows, with how many samples, and what they are called. */
import { describe, expect, it } from 'vitest';
import { CpuSamples, type SampleChoice } from '../../../lib/pages/cpu-samples.ts';
import { functionCosts } from '../../../lib/pages/flame-tree.ts';
import { frameText } from '../../../lib/pages/frame-text.ts';
import type { ReportData } from '../../../lib/pages/report-data.ts';
import { during, type WrittenEvent, written } from '../written-events.ts';
import { reportOf } from './read-report.ts';

const SAMPLER = 'Microsoft-DotNETCore-SampleProfiler/Thread/Sample';

function method(name: string, start: bigint, at = 0): WrittenEvent {
  const payload = { MethodStartAddress: start, MethodSize: 0x100, MethodNamespace: 'App', MethodName: name };
  return { name: 'Microsoft-Windows-DotNETRuntimeRundown/MethodDCEndVerbose', at, payload };
}
const METHODS = [method('Main', 0x1000n, 900), method('Work', 0x2000n, 901), method('Query', 0x3000n, 902)];
const [MAIN, WORK, QUERY] = [0x1010n, 0x2020n, 0x3030n];

const sample = (at: number, stack: bigint[], id?: string): WrittenEvent => ({
  name: SAMPLER,
  at,
  stack,
  ...(id === undefined ? {} : { id }),
});

const inOrder = (events: readonly WrittenEvent[]) => [...events].sort((a, b) => a.at - b.at);
const read = (events: readonly WrittenEvent[]) =>
  reportOf(inOrder(events).map(written)).then(({ data }) => data);

const ALL: SampleChoice = { task: -1, activity: -1, range: undefined, isByActivity: false };

/** A line per call, indented, with its samples and those only in it. */
function drawn(data: ReportData, choice: Partial<SampleChoice> = {}): string[] {
  const samples = new CpuSamples(data);
  const tree = samples.tree({ ...ALL, ...choice });
  const nameOf = (frame: number) => (frame < 0 ? samples.groupName(~frame) : data.calls.frames[frame]?.name);
  const lines = (nodes: Uint32Array): string[] =>
    Array.from(nodes).flatMap((node) => {
      const indent = ' '.repeat(tree.depth[node] ?? 0);
      return [
        `${indent}${nameOf(tree.frame(node))} ${tree.total[node]}/${tree.self[node]}`,
        ...lines(tree.children(node)),
      ];
    });
  return lines(tree.roots);
}

const PROFILED = [
  ...METHODS,
  ...during(['Request', '//1/1', 10, 100], ['Db', '//1/1/1', 40, 60], ['Job', '//1/2', 110, 200]),
  sample(20, [WORK, MAIN], '//1/1'),
  sample(21, [WORK + 1n, MAIN], '//1/1'),
  sample(50, [QUERY, WORK, MAIN], '//1/1/1'),
  sample(120, [MAIN], '//1/2'),
  sample(300, [QUERY, MAIN]),
];

describe('a flame graph', () => {
  it('merges the stacks of all samples by the names of functions, the most frequent first', async () => {
    expect(drawn(await read(PROFILED))).toEqual([
      'node (4321) 5/0',
      ' App.Main 5/1',
      '  App.Work 3/2',
      '   App.Query 1/1',
      '  App.Query 1/1',
    ]);
  });

  it('shows those in activities of a name, in one activity, or in a span of time', async () => {
    const data = await read(PROFILED);
    const task = (name: string) => data.header.tasks.findIndex((each) => each.name === name);
    expect(drawn(data, { task: task('Request') })).toEqual([
      'node (4321) 3/0',
      ' App.Main 3/0',
      '  App.Work 3/2',
      '   App.Query 1/1',
    ]);
    expect(drawn(data, { task: task('Db') })[0]).toBe('node (4321) 1/0');
    expect(drawn(data, { activity: 0 })[0]).toBe('node (4321) 3/0');
    expect(drawn(data, { activity: 0, task: task('Job') })).toEqual([]);
    expect(drawn(data, { range: [21e6, 50e6] })[0]).toBe('node (4321) 2/0');
    expect(Array.from(new CpuSamples(data).countsByTask())).toEqual([3, 1, 1]);
    expect([0, 1, 2].map((activity) => new CpuSamples(data).countIn(activity))).toEqual([3, 1, 1]);
  });

  it('charges samples to the activity that their thread was running, by its switches', async () => {
    const switched = (at: number, id?: string): WrittenEvent => ({
      name: 'Node.Runtime/ActivitySwitch',
      at,
      payload: { startedAgoMSec: 0 },
      ...(id === undefined ? {} : { id }),
    });
    const data = await read([
      ...METHODS,
      ...during(['Request', '//1/1', 10, 100], ['Job', '//1/2', 20, 90]),
      ...[switched(11, '//1/1'), switched(30, '//1/2'), switched(50)],
      ...[
        sample(10.5, [MAIN], '//1/1'),
        sample(15, [MAIN]),
        sample(35, [WORK]),
        sample(60, [QUERY], '//1/1'),
      ],
    ]);
    expect(drawn(data, { isByActivity: true }).filter((line) => !line.startsWith(' '))).toEqual([
      'Request 2/0',
      'In no activity 1/0',
      'Job 1/0',
    ]);
    expect(data.header.kinds.map(({ name }) => name)).not.toContain('ActivitySwitch');
  });

  it('puts the names of activities above their functions, without the only process', async () => {
    expect(drawn(await read(PROFILED), { isByActivity: true })).toEqual([
      'Request 3/0',
      ' App.Main 2/0',
      '  App.Work 2/2',
      ' Db 1/0',
      '  App.Main 1/0',
      '   App.Work 1/0',
      '    App.Query 1/1',
      'In no activity 1/0',
      ' App.Main 1/0',
      '  App.Query 1/1',
      'Job 1/0',
      ' App.Main 1/1',
    ]);
    const other = { ...sample(310, [MAIN]), processId: 7 };
    expect(drawn(await read([...PROFILED, other]), { isByActivity: true })).toContain(' node (4321) 1/0');
  });

  it('places calls side by side, and counts a function once per stack, however often it calls itself', async () => {
    const data = await read([...METHODS, sample(1, [WORK, WORK, MAIN]), sample(2, [QUERY, MAIN])]);
    const tree = new CpuSamples(data).tree(ALL);
    expect(Array.from(tree.left)).toEqual([0, 0, 0, 0, 1]);
    const costs = functionCosts(tree, data.calls.frames.length);
    const work = data.calls.frames.findIndex(({ name }) => name === 'App.Work');
    expect([costs.total[work], costs.self[work]]).toEqual([1, 1]);
    expect(tree.matching(marking(data, 'App.Work'))).toBe(1);
    expect(tree.matching(marking(data, 'App.Main'))).toBe(2);
  });

  it('counts samples as far as their thread was on a processor', async () => {
    const switched = (at: number, threadCpuMSec: number): WrittenEvent => ({
      name: 'Node.Runtime/ActivitySwitch',
      at,
      payload: { startedAgoMSec: 0, threadCpuMSec, loopIdleMSec: -1 },
    });
    const data = await read([
      ...METHODS,
      ...[switched(0, 100), sample(0, [MAIN]), sample(1, [MAIN]), switched(2, 102)],
      // Of these two milliseconds, the thread has spent half a one on a processor.
      ...[sample(2, [WORK]), sample(3, [WORK]), sample(4, [MAIN]), switched(4, 102.5)],
    ]);
    const [, main, work] = drawn(data);
    expect([main, work]).toEqual([' App.Main 3/3', ' App.Work 0.5/0.5']);
    expect(new CpuSamples(data).count).toBeCloseTo(3.5);
  });

  it('counts only the samples of the first event of perf, and says so', async () => {
    const perf = (at: number, name: string): WrittenEvent => ({ name: `perf/${name}`, at, stack: [MAIN] });
    const data = await read([
      ...METHODS,
      ...[perf(1, 'cpu-clock'), perf(1, 'task-clock'), perf(2, 'cpu-clock'), perf(2, 'task-clock')],
    ]);
    expect(drawn(data)[0]).toBe('node (4321) 2/0');
    expect(data.header.notices.join()).toMatch(/Samples of task-clock are only among the events/);
    expect(data.events.count).toBe(4 + METHODS.length);
  });

  it('shows no samples of an idle thread', async () => {
    const idle = { ...method('(idle)', 0x4000n, 910) };
    const native = { ...idle, payload: { ...idle.payload, MethodNamespace: 'native' } };
    expect(drawn(await read([...METHODS, native, sample(1, [MAIN]), sample(2, [0x4001n])]))).toEqual([
      'node (4321) 1/0',
      ' App.Main 1/1',
    ]);
  });

  it('has the stacks of other events only in their details', async () => {
    const data = await read([...METHODS, { name: 'Log', at: 1, stack: [QUERY, MAIN] }, sample(2, [MAIN])]);
    const log = data.events.stack[0] ?? -1;
    expect(Array.from(data.calls.stack(log), ({ name }) => name)).toEqual([
      'App.Query',
      'App.Main',
      'node (4321)',
    ]);
    expect(drawn(data)).toEqual(['node (4321) 1/0', ' App.Main 1/1']);
  });

  it('survives stacks of any depth', async () => {
    const deep = Array.from({ length: 20_000 }, (_, index) => BigInt(index + 1) << 20n);
    const data = await read([sample(1, deep), sample(2, deep.slice(1))]);
    const tree = new CpuSamples(data).tree(ALL);
    expect([tree.samples, tree.levels]).toEqual([2, 20_001]);
    expect(functionCosts(tree, data.calls.frames.length).total[0]).toBe(2);
  });
});

function marking({ calls }: ReportData, name: string): Uint8Array {
  return Uint8Array.from(calls.frames, (frame) => (frame.name === name ? 1 : 0));
}

describe('the name of a function', () => {
  it.each([
    ['JS:*hot file:///app/lib/server.js:12:5', '', 'hot server.js:12', 'hot', 'file:///app/lib/server.js'],
    ['LazyCompile:~ /app/a b/server.mjs:3:1', '', '/app/a server.mjs:3', '/app/a', 'b/server.mjs'],
    ['JS:^ node:fs:500:11', '', '(anonymous) node:fs:500', '(anonymous)', 'node:fs'],
    ['app/server.js.handle', '.NET', 'handle server.js', 'handle', 'app/server.js'],
    ['native.(garbage collector)', '.NET', '(garbage collector)', '(garbage collector)', 'native'],
    ['System.DateTime.get_Now', '.NET', 'System.DateTime.get_Now', 'get_Now', 'System.DateTime'],
    ['System.DateTime..ctor', '.NET', 'System.DateTime..ctor', 'ctor', 'System.DateTime.'],
    ['std::vector<int>::at', '/bin/app', 'std::vector<int>::at', 'std::vector<int>::at', '/bin/app'],
    ['', '', '(anonymous)', '(anonymous)', ''],
  ])('%j in %j is shown as %j or %j of %j', (name, module, label, short, place) => {
    expect(frameText({ name, module })).toEqual({ label, short, place });
  });
});
