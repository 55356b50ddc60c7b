/** Traces as Chrome's Trace Event JSON, as viewers show them. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ChromeExport } from '../../lib/export/chrome-export.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../conformance/data-folder.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';
import { exportEvents, exportTrace } from './exported.ts';
import { checkChromeTrace, type Slice } from './trace-event-rules.ts';

function shown(...events: WrittenEvent[]) {
  const inOrder = [...events].sort((a, b) => a.at - b.at);
  const { text } = exportEvents(inOrder.map(written), (trace) => new ChromeExport(trace), {
    processNames: new Map([[4321, 'server']]),
  });
  return checkChromeTrace(text);
}

/** `Request 1-9 ms in lane 1, at depth 0` */
const lines = (slices: readonly Slice[], names: ReadonlyMap<number, string>) =>
  slices.map(
    ({ name, start, end, tid, depth }) =>
      `${name} ${start / 1000}-${end / 1000} ms in ${names.get(tid)}, at depth ${depth}`,
  );

describe('an activity', () => {
  it('is a span that contains those it started', () => {
    const { slices, threadNames, processNames, arrows } = shown(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 4], ['Db', '//1/1/2', 5, 6]),
    );
    expect(lines(slices, threadNames)).toEqual([
      'Request 1-9 ms in Activities 1, at depth 0',
      'Db 2-4 ms in Activities 1, at depth 1',
      'Db 5-6 ms in Activities 1, at depth 1',
    ]);
    expect(arrows).toEqual([]);
    expect(processNames).toEqual(new Map([[4321, 'server']]));
  });

  it('gets a lane of its own if it would overlap another, and an arrow from its parent', () => {
    const { slices, threadNames, arrows } = shown(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2, 5], ['Http', '//1/1/2', 3, 8]),
    );
    expect(lines(slices, threadNames)).toEqual([
      'Request 1-9 ms in Activities 1, at depth 0',
      'Db 2-5 ms in Activities 1, at depth 1',
      'Http 3-8 ms in Activities 2, at depth 0',
    ]);
    expect(arrows).toEqual([['Request', 'Http']]);
  });

  it('uses the first free lane', () => {
    const { slices, threadNames } = shown(
      ...during(['A', '//1/1', 1, 4], ['B', '//1/2', 2, 9], ['C', '//1/3', 5, 6], ['D', '//1/4', 7, 8]),
    );
    expect(lines(slices, threadNames).map((line) => line.replace(/.* in /, ''))).toEqual([
      'Activities 1, at depth 0',
      'Activities 2, at depth 0',
      'Activities 1, at depth 0',
      'Activities 1, at depth 0',
    ]);
  });

  it('ends with its enclosing activity if its own stop is missing, even in another lane', () => {
    const { slices } = shown(
      ...during(['Request', '//1/1', 1, 9], ['Db', '//1/1/1', 2], ['Http', '//1/1/2', 3]),
    );
    expect(slices.map(({ name, end, args }) => [name, end / 1000, typeof args.stop])).toEqual([
      ['Request', 9, 'object'],
      ['Db', 9, 'string'],
      ['Http', 9, 'string'],
    ]);
    expect(slices[1]?.args.stop).toBe('with Request');
  });

  it('ends with the trace if nothing ends it, or with the next one with its id', () => {
    const { slices } = shown(
      { name: 'RequestStart', id: '//1/1', at: 1 },
      { name: 'RequestStart', id: '//1/1', at: 2 },
      { name: 'Log', at: 3 },
    );
    expect(slices.map(({ start, end, args }) => [start, end, args.stop])).toEqual([
      [1000, 2000, 'not in the trace'],
      [2000, 3000, 'not in the trace'],
    ]);
  });

  it('has an arrow even from an activity that has ended', () => {
    const { arrows } = shown(...during(['Request', '//1/1', 1, 2]), {
      name: 'LateStart',
      id: '//1/1/1',
      at: 3,
    });
    expect(arrows).toEqual([['Request', 'Late']]);
  });

  it('has the fields of its start and its stop as arguments', () => {
    const { slices } = shown(
      { name: 'RequestStart', id: '//1/1', at: 1, threadId: 7, payload: { url: '/', size: 5n } },
      { name: 'RequestStop', id: '//1/1', at: 2, payload: { ok: true } },
    );
    expect(slices[0]?.args).toMatchObject({
      provider: 'Demo',
      activity: '//1/1',
      thread: 7,
      fields: { url: '/', size: '5' },
      stop: { fields: { ok: true } },
    });
  });
});

describe('another event', () => {
  it('is an instant in the lane of its activity while that runs, otherwise in its thread', () => {
    const { instants, threadNames } = shown(
      ...during(['Request', '//1/1', 1, 3]),
      { name: 'Log', id: '//1/1', at: 2, threadId: 7, payload: { text: 'in' } },
      { name: 'Log', id: '//1/1', at: 4, threadId: 7 },
      { name: 'DbStop', id: '//1/2', at: 5, threadId: 7 },
    );
    expect(instants.map(({ name, tid, ts }) => [name, threadNames.get(tid as number) ?? tid, ts])).toEqual([
      ['Log', 'Activities 1', 2000],
      ['Log', 7, 4000],
      ['Db/Stop', 7, 5000],
    ]);
  });
});

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`real traces (${SKIP_REASON})`, () => {
  const files = [
    'nettrace/activities-net10.v4.nettrace',
    'nettrace/activities-net10.v6.nettrace',
    'nettrace/eventpipe-dotnetcore6.0-win-x64-executioncheckpoints.nettrace',
    'perf-data/perf.data',
    'etl/HTTP_Server.etl',
    'etl/gcevents.etl',
  ];
  it.each(files)('%s satisfies every rule of the format', async (file) => {
    const make = (trace: ConstructorParameters<typeof ChromeExport>[0]) => new ChromeExport(trace);
    const { bytes, events } = await exportTrace(join(dataFolder ?? '', file), make);
    const { slices, instants, events: written } = checkChromeTrace(Buffer.from(bytes).toString());
    const ends = written.filter(({ ph, args }) => ph === 'E' && typeof args?.stop === 'object').length;
    expect(slices.length + ends + instants.length).toBe(events.length);
  });

  it('shows .NET requests with what they wait for', async () => {
    const file = join(dataFolder ?? '', files[0] ?? '');
    const { bytes } = await exportTrace(file, (trace) => new ChromeExport(trace));
    const { slices } = checkChromeTrace(Buffer.from(bytes).toString());
    const [request, db] = slices;
    expect(request).toMatchObject({ name: 'Request', depth: 0, args: { activity: '//1/1' } });
    expect(slices.filter(({ name }) => name === 'Request').length).toBe(6);
    expect(((request?.end ?? 0) - (request?.start ?? 0)) / 1000).toBeCloseTo(66.694, 2);
    expect(db?.args.provider).toBe('Demo-Activities');
  });
});
