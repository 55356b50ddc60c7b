/** The files of a table: partitions of any name and number, none of them seen before it is complete. */
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { hiveName, ParquetClock } from '../../../lib/export/parquet/partitions.ts';
import { PARTIAL_FOLDER, removeLeftovers, TableFiles } from '../../../lib/export/parquet/table-files.ts';
import { ThreadTable } from '../../../lib/export/parquet/tables.ts';
import { missingOnWindows, named } from '../../platforms.ts';
import { askDuckDb, filesOf } from './parquet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-parquet-'));
afterAll(() => rmSync(root, { recursive: true }));
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'lake-'));
});

const DAY_NS = 86_400_000_000_000n;

function filesIn(maxFileSize = 1e9): TableFiles<ThreadTable> {
  return new TableFiles('threads', () => new ThreadTable(), {
    folder,
    stem: 'a',
    source: { trace: 'a' },
    createdBy: 'tracewright version 0.0.0',
    maxFileSize,
    serviceFolder: (service) => service,
    onFile: () => {},
  });
}

function add(files: TableFiles<ThreadTable>, service: string, tid: number, time = 0n): void {
  const table = files.row(new ParquetClock(0n).dayOf(time), hiveName(service), 0);
  table.pid.add(1);
  table.tid.add(tid);
  table.firstTs.add(time);
  table.firstTsNs.add(time);
  table.events.add(undefined);
}

describe('the files of a table', () => {
  it('are in folders of dates, also of those before 1970', async () => {
    const files = filesIn();
    const times = [-1n, 0n, DAY_NS - 1n, DAY_NS, 20_000n * DAY_NS];
    for (const [tid, time] of times.entries()) add(files, 's', tid, time);
    await files.end();
    const sql = 'SELECT date, list(tid ORDER BY tid) AS tids FROM $threads GROUP BY date ORDER BY date';
    expect(await askDuckDb(folder, sql)).toEqual([
      { date: '1969-12-31', tids: [0n] },
      { date: '1970-01-01', tids: [1n, 2n] },
      { date: '1970-01-02', tids: [3n] },
      { date: '2024-10-04', tids: [4n] },
    ]);
  });

  it('are in folders of services, whatever their names', async () => {
    const names = [
      'shop',
      'my/app',
      '../../etc',
      'a=b',
      '50%',
      'Größe 寸',
      '.',
      'x\\y:z*?"<>|',
      'end. ',
      '\u0007',
    ];
    const files = filesIn();
    for (const [tid, name] of names.entries()) add(files, name, tid);
    await files.end();
    const rows = await askDuckDb(folder, 'SELECT service FROM $threads ORDER BY tid');
    expect(rows.map(({ service }) => service)).toEqual(names);
    for (const file of filesOf(folder)) expect(file).toMatch(/^[^\p{Cc}\\:*?"<>|]+$/u);
  });

  it('have names that every system allows, however long that of the service is', async () => {
    const files = filesIn();
    add(files, '/'.repeat(1000), 1);
    add(files, '😀'.repeat(1000), 2);
    await files.end();
    for (const file of filesOf(folder)) {
      for (const part of file.split('/')) expect(Buffer.byteLength(part)).toBeLessThan(256);
    }
    expect(await askDuckDb(folder, 'SELECT tid FROM $threads ORDER BY tid')).toHaveLength(2);
  });

  it('have every row once, in one file of each of many partitions', async () => {
    const files = filesIn();
    for (let tid = 0; tid < 100_000; tid++) add(files, `service ${tid % 100}`, tid);
    await files.end();
    const sql =
      'SELECT count(*) AS rows, count(DISTINCT tid) AS tids, count(DISTINCT service) AS services FROM $threads';
    expect(await askDuckDb(folder, sql)).toEqual([{ rows: 100_000n, tids: 100_000n, services: 100n }]);
    expect(filesOf(folder)).toHaveLength(100);
  });

  it('are completed when they are large enough', async () => {
    const files = filesIn(2000);
    for (let tid = 0; tid < 50_000; tid++) add(files, 's', (tid * 7919) % 10_007);
    await files.end();
    expect(filesOf(folder).length).toBeGreaterThan(2);
    expect(await askDuckDb(folder, 'SELECT count(*) AS rows FROM $threads')).toEqual([{ rows: 50_000n }]);
  });

  it('are nowhere to be seen until they are complete, and not at all if they are abandoned', async () => {
    const files = filesIn();
    add(files, 's', 1);
    expect(existsSync(join(folder, 'threads'))).toBe(false);
    expect(filesOf(folder, PARTIAL_FOLDER)).toHaveLength(1);
    await files.abandon();
    expect(filesOf(folder)).toEqual([]);
  });

  it('that a killed program was writing are deleted a day later, and no others', () => {
    const partial = join(folder, PARTIAL_FOLDER);
    const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
    const put = (name: string, isOld: boolean) => {
      const path = join(partial, name);
      writeFileSync(path, '');
      if (isOld) utimesSync(path, twoDaysAgo, twoDaysAgo);
      return path;
    };
    mkdirSync(partial);
    put(`events-${randomUUID()}`, true);
    const kept = [put(`events-${randomUUID()}`, false), put('notes', true)];
    removeLeftovers(folder);
    expect(filesOf(folder)).toEqual(kept.sort());
  });

  it.skipIf(missingOnWindows('links') !== undefined)(
    named('are not looked for behind a link', missingOnWindows('links')),
    () => {
      const elsewhere = mkdtempSync(join(root, 'elsewhere-'));
      const file = join(elsewhere, `events-${randomUUID()}`);
      writeFileSync(file, '');
      utimesSync(file, 1, 1);
      symlinkSync(elsewhere, join(folder, PARTIAL_FOLDER));
      removeLeftovers(folder);
      expect(existsSync(file)).toBe(true);
    },
  );
});
