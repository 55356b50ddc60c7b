/** Which service the rows of a process belong to. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ParquetExport, type ParquetExportOptions } from '../../../lib/export/parquet/parquet-export.ts';
import { defineEventSource, event, startSession } from '../../../lib/index.ts';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { written } from '../../view/written-events.ts';
import { askDuckDb } from './parquet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-services-'));
afterAll(() => rmSync(root, { recursive: true }));
const newFolder = () => mkdtempSync(join(root, 'lake-'));

const info = { format: 'perf.data', startTime: 0n, hasWallTime: true, pointerSize: 8, properties: {} };
const END = { lostEvents: 0, lostBuffers: 0, lateEvents: 0 };

function exportOf(folder: string, trace: Partial<ParquetExportOptions['trace']>): ParquetExport {
  return new ParquetExport({ folder, trace: { name: 'a', info, ...trace } as never });
}

const servicesOf = (folder: string, table = 'events') =>
  askDuckDb(folder, `SELECT service, count(*)::INT AS rows FROM $${table} GROUP BY service ORDER BY service`);

describe('the service of a process', () => {
  it('is one for all its rows, although its name comes last, or changes', async () => {
    const folder = newFolder();
    const processNames = new Map([[2, 'sh']]);
    const parquet = exportOf(folder, { processNames });
    for (let at = 0; at < 100; at++) {
      if (at === 50) processNames.set(2, 'node');
      for (const processId of [1, 2])
        parquet.add(written({ name: 'OrderStart', id: `//1/${at + 1}`, at, processId }));
      for (const processId of [1, 2])
        parquet.add(written({ name: 'OrderStop', id: `//1/${at + 1}`, at, processId }));
    }
    processNames.set(1, 'shop');
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder)).toEqual([
      { service: 'node', rows: 200 },
      { service: 'shop', rows: 200 },
    ]);
    expect(await servicesOf(folder, 'activities')).toEqual([
      { service: 'node', rows: 100 },
      { service: 'shop', rows: 100 },
    ]);
    expect(await servicesOf(folder, 'processes')).toEqual([
      { service: 'node', rows: 1 },
      { service: 'shop', rows: 1 },
    ]);
  });

  it('stays the same in files that follow', async () => {
    const folder = newFolder();
    const processNames = new Map([[1, 'shop']]);
    const parquet = exportOf(folder, { processNames });
    parquet.add(written({ name: 'Tick', at: 1, processId: 1 }));
    await parquet.rotate();
    processNames.set(1, 'other');
    parquet.add(written({ name: 'Tick', at: 2, processId: 1 }));
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder)).toEqual([{ service: 'shop', rows: 2 }]);
  });

  it('is that of the only process for what belongs to none', async () => {
    const folder = newFolder();
    const processNames = new Map([[1, 'shop']]);
    const parquet = exportOf(folder, { processNames });
    parquet.add(written({ name: 'Tick', at: 1, processId: 1 }));
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder, 'losses')).toEqual([{ service: 'shop', rows: 1 }]);
  });

  it('is the kernel for its threads, which have names and process ids of their own', async () => {
    const folder = newFolder();
    const threads = Array.from({ length: 29 }, (_, i) => [100 + i, `kworker/${i}:1`] as const);
    const processNames = new Map([[2, 'kthreadd'], ...threads, [1, 'shop']]);
    const kernelProcesses = new Set(threads.map(([id]) => id));
    const parquet = exportOf(folder, { processNames, kernelProcesses });
    for (const processId of [0, ...processNames.keys()])
      parquet.add(written({ name: 'Tick', at: 1, processId }));
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder)).toEqual([
      { service: 'kernel', rows: 31 },
      { service: 'shop', rows: 1 },
    ]);
  });

  it('is its own if process 2 is another, as in a container', async () => {
    const folder = newFolder();
    const processNames = new Map([
      [2, 'sh'],
      [3, 'shop'],
    ]);
    const parquet = exportOf(folder, { processNames, kernelProcesses: new Set([3]) });
    for (const processId of [2, 3]) parquet.add(written({ name: 'Tick', at: 1, processId }));
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder)).toEqual([
      { service: 'sh', rows: 1 },
      { service: 'shop', rows: 1 },
    ]);
  });

  it('is one of many, once there are more than can have files of their own', async () => {
    const folder = newFolder();
    const processNames = new Map(Array.from({ length: 500 }, (_, i) => [i + 10, `p${i % 2}`]));
    const parquet = exportOf(folder, { processNames });
    for (const processId of processNames.keys()) parquet.add(written({ name: 'Tick', at: 1, processId }));
    await parquet.end({ ...END, processNames });
    expect(await servicesOf(folder)).toEqual([
      { service: 'p0', rows: 250 },
      { service: 'p1', rows: 250 },
    ]);
  });
});

describe.each([4, 6] as const)("this package's trace of version %d", (nettraceVersion) => {
  it('has one service: the script, as for tools that attach', async () => {
    using log = defineEventSource('Test-Services', { Tick: event({ n: 'uint32' }) });
    const file = join(newFolder(), 'a.nettrace');
    const session = startSession({
      providers: 'Test-Services',
      output: file,
      nettraceVersion,
      rundown: true,
    });
    for (let n = 0; n < 100; n++) log.Tick({ n });
    await session.close();
    const folder = newFolder();
    const trace = await openTrace(file);
    const parquet = new ParquetExport({ folder, trace });
    for await (const each of trace) parquet.add(each);
    await parquet.end(trace);
    const script = process.argv[1]?.split(/[/\\]/).at(-1);
    expect((await servicesOf(folder)).map(({ service }) => service)).toEqual([script]);
  });
});
