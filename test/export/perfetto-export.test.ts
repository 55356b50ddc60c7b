/** Traces in Perfetto's own format, as Perfetto shows them. */
import { describe, expect, it } from 'vitest';
import { PerfettoExport } from '../../lib/export/perfetto-export.ts';
import { named } from '../platforms.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { exportEvents } from './exported.ts';
import { checkPerfettoTrace, NO_DECODER, type ShownSlice } from './perfetto-rules.ts';

const START = 1_700_000_000_000_000_000n;
const INFO = {
  format: 'nettrace',
  startTime: START,
  hasWallTime: true,
  pointerSize: 8,
  properties: {},
} as const;

function exported(events: readonly WrittenEvent[], info: object = {}) {
  const inOrder = [...events].sort((a, b) => a.at - b.at);
  return exportEvents(
    inOrder.map(written),
    (trace) => new PerfettoExport({ ...trace, processNames: new Map([[4321, 'server']]) }),
    { info: { ...INFO, ...info }, processNames: new Map([[4321, 'server']]) },
  );
}

const shown = (...events: WrittenEvent[]) => checkPerfettoTrace(exported(events).bytes);

/** `Request 1-9 ms in server: Activities 1, at depth 0` */
const lines = (slices: readonly ShownSlice[]) =>
  slices.map(
    ({ name, start, end, track, depth }) =>
      `${name} ${start / 1e6}-${end / 1e6} ms in ${track}, at depth ${depth}`,
  );

describe.skipIf(NO_DECODER !== undefined)(named('in Perfetto', NO_DECODER), () => {
  it('an activity is a slice that contains those it started', () => {
    const { slices, arrows } = shown(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 4], ['Db', '//1/1/2', 5, 6]),
    );
    expect(lines(slices)).toEqual([
      'Request 1-9 ms in server: Activities 1, at depth 0',
      'Db 2-4 ms in server: Activities 1, at depth 1',
      'Db 5-6 ms in server: Activities 1, at depth 1',
    ]);
    expect(arrows).toEqual([]);
  });

  it('an activity that overlaps another gets a lane of its own, and a flow from its parent', () => {
    const { slices, arrows } = shown(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 5], ['Http', '//1/1/2', 3, 8]),
      ...during(['Late', '//1/1/3', 10, 11]),
    );
    expect(lines(slices)).toEqual([
      'Request 1-9 ms in server: Activities 1, at depth 0',
      'Db 2-5 ms in server: Activities 1, at depth 1',
      'Http 3-8 ms in server: Activities 2, at depth 0',
      'Late 10-11 ms in server: Activities 1, at depth 0',
    ]);
    expect(arrows).toEqual([
      ['Request', 'Http'],
      ['Request', 'Late'],
    ]);
  });

  it('an activity uses the first free lane', () => {
    const { slices } = shown(
      ...during(['A', '//1/1', 1, 4], ['B', '//1/2', 2, 9], ['C', '//1/3', 5, 6], ['D', '//1/4', 7, 8]),
    );
    expect(slices.map(({ name, track }) => `${name} in ${track}`)).toEqual([
      'A in server: Activities 1',
      'B in server: Activities 2',
      'C in server: Activities 1',
      'D in server: Activities 1',
    ]);
  });

  it('an activity has the fields of its start and its stop, exactly', () => {
    const payload = {
      url: '/ä',
      size: 2n ** 63n,
      low: -(2n ** 63n),
      ratio: 0.5,
      none: null,
      bytes: new Uint8Array([1, 255]),
      list: [1, 2],
      user: { name: 'Ada', roles: [] },
    };
    const { slices } = shown(
      { name: 'RequestStart', id: '//1/1', at: 1, threadId: 7, payload },
      { name: 'RequestStop', id: '//1/1', at: 2, payload: { ok: true } },
    );
    expect(slices[0]?.args).toEqual({
      provider: 'Demo',
      activity: '//1/1',
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      thread: 7n,
      fields: {
        url: '/ä',
        size: 2n ** 63n,
        low: -(2n ** 63n),
        ratio: 0.5,
        none: null,
        bytes: '01ff',
        list: [1n, 2n],
        user: { name: 'Ada', roles: '[]' },
      },
      'stop thread': 1n,
      stop: { ok: true },
    });
  });

  it('an activity without a stop ends with what encloses it, or with the trace', () => {
    const { slices } = shown(...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2]), {
      name: 'OtherStart',
      id: '//1/2',
      at: 10,
    });
    expect(slices.map(({ name, args }) => [name, args.stop])).toEqual([
      ['Request', undefined],
      ['Db', 'with Request'],
      ['Other', 'not in the trace'],
    ]);
  });

  it('another event is an instant in the lane of its activity, otherwise in its thread', () => {
    const { instants } = shown(
      ...during(['Request', '//1/1', 1, 3]),
      { name: 'Log', id: '//1/1', at: 2, threadId: 7, payload: { text: 'in' } },
      { name: 'Log', id: '//1/1', at: 4, threadId: 7 },
      { name: 'Other/Log', at: 5, threadId: 8, processId: 99 },
    );
    expect(instants.map(({ name, category, track, at }) => [name, category, track, at / 1e6])).toEqual([
      ['Log', 'Demo', 'server: Activities 1', 2],
      ['Log', 'Demo', 'thread 4321/7', 4],
      ['Log', 'Other', 'thread 99/8', 5],
    ]);
    expect(instants[0]?.args).toEqual({ activity: '//1/1', thread: 7n, fields: { text: 'in' } });
  });

  it('processes of a merged trace share one clock', () => {
    const { slices, arrows } = shown(
      { name: 'CallStart', id: '//1/1', at: 1, processId: 1 },
      { name: 'ServeStart', id: '//1/5', related: '//1/1', at: 2, processId: 2 },
      { name: 'ServeStop', id: '//1/5', at: 3, processId: 2 },
      { name: 'CallStop', id: '//1/1', at: 4, processId: 1 },
    );
    expect(lines(slices)).toEqual([
      'Call 1-4 ms in process 1: Activities 1, at depth 0',
      'Serve 2-3 ms in process 2: Activities 1, at depth 0',
    ]);
    expect(arrows).toEqual([]);
  });

  it('counters have tracks with their unit', () => {
    const counter = (at: number, value: number): WrittenEvent => ({
      name: 'EventCounters',
      at,
      payload: {
        Payload: { Name: 'heap', DisplayName: 'Heap', Mean: value, CounterType: 'Mean', DisplayUnits: 'MB' },
      },
    });
    expect(shown(counter(1, 10.5), counter(2, 11)).counters).toEqual([
      ['server: Demo/Heap', 1e6, 10.5, 'MB'],
      ['server: Demo/Heap', 2e6, 11, 'MB'],
    ]);
  });

  it('CPU samples have the names of functions, outermost first', () => {
    const method = (name: string, start: bigint): WrittenEvent => ({
      name: 'MethodLoadVerbose',
      at: 1,
      payload: { MethodNamespace: 'app', MethodName: name, MethodStartAddress: start, MethodSize: 16 },
    });
    const sample = (at: number, stack: bigint[], threadId: number): WrittenEvent => ({
      name: 'Microsoft-DotNETCore-SampleProfiler/ThreadSample',
      at,
      threadId,
      stack,
    });
    const { samples } = shown(
      method('main', 0x100n),
      method('work', 0x200n),
      sample(2, [0x204n, 0x104n], 1),
      sample(3, [0x104n], 2),
      sample(4, [0x204n, 0x104n], 1),
    );
    expect(samples).toEqual([
      ['4321/1', 2e6, 'app.main > app.work'],
      ['4321/1', 4e6, 'app.main > app.work'],
      ['4321/2', 3e6, 'app.main'],
    ]);
  });

  it('times are related to the wall clock if the trace has it, otherwise they are those of its clock', () => {
    const events = during(['Request', '//1/1', 1, 2]);
    expect(checkPerfettoTrace(exported(events).bytes).clocks).toEqual([
      [6, '0'],
      [1, String(START)],
    ]);
    const { bytes } = exported(events, { hasWallTime: false, startTime: 5_000_000n });
    const { slices, clocks } = checkPerfettoTrace(bytes);
    expect(clocks).toEqual([]);
    expect(slices.map(({ start, end }) => [start, end])).toEqual([[6_000_000, 7_000_000]]);
  });
});
