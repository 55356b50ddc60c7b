/** A trace in Parquet: every column as the trace has it, read by two programs that know nothing of each other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { jsonValue, type TraceEvent } from '../../../lib/trace/trace-event.ts';
import { ParquetExport } from '../../../lib/view/parquet/parquet-export.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../../conformance/data-folder.ts';
import { askDuckDb, filesOf, type Row, readHyparquet } from './parquet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-parquet-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Exports a trace of the conformance data; returns the folder and the rows that `events` should have. */
async function exported(file: string): Promise<{ folder: string; expected: Row[] }> {
  const folder = mkdtempSync(join(root, 'lake-'));
  const trace = await openTrace(join(dataFolder ?? '', file), { onDamage: 'warning' });
  const parquet = new ParquetExport({
    folder,
    trace,
    service: 'shop',
    createdBy: 'tracewright version 0.0.0',
  });
  const expected: Row[] = [];
  for await (const event of trace) {
    parquet.add(event);
    expected.push(rowOf(event));
  }
  await parquet.end(trace);
  return { folder, expected };
}

function rowOf(event: TraceEvent): Row {
  const path = event.activityPath;
  return {
    ts: event.timestamp,
    ts_ns: event.timestamp,
    ts_since_start_ns: event.timeSinceStart,
    pid: integer(event.processId),
    tid: integer(event.threadId),
    cpu: integer(event.processor),
    provider: event.provider,
    provider_guid: event.providerGuid ?? null,
    name: event.name,
    id: integer(event.id),
    version: integer(event.version),
    level: integer(event.level),
    opcode: integer(event.opcode),
    task: integer(event.task),
    keywords: BigInt.asUintN(64, event.keywords),
    activity_id: event.activityId ?? null,
    activity_path: path ?? null,
    path_prefixes: path === undefined ? null : prefixesOf(path),
    related_activity_id: event.relatedActivityId ?? null,
    payload: JSON.parse(JSON.stringify(jsonValue(event.payload, event.hexFields))),
    has_stack: (event.stack?.length ?? 0) > 0,
  };
}

const integer = (value: number | undefined) => (value === undefined ? null : BigInt(value));

function prefixesOf(path: string): string[] {
  const parts = path.slice(2).split(/(?=[/$])/);
  return parts.map((_, index) => `//${parts.slice(0, index + 1).join('')}`);
}

/** A row as the trace's events are compared with. */
function comparable({ trace, trace_id, span_id, payload, stack_id, path_prefixes, ...columns }: Row): Row {
  return {
    ...columns,
    path_prefixes: path_prefixes ?? null,
    payload: JSON.parse(String(payload)),
    has_stack: stack_id !== null,
  };
}

describe.skipIf(dataFolder === undefined && !dataIsRequired)(`a trace in Parquet (${SKIP_REASON})`, () => {
  it.each([
    'nettrace/activities-net10.v6.nettrace',
    'nettrace/V6ParseEventLabelLists-True.nettrace',
    'nettrace/only_managed_samples.nettrace',
    'perf-data/perf.data',
  ])('has every column of every event of %s for hyparquet', async (file) => {
    const { folder, expected } = await exported(file);
    const rows = (await readHyparquet(folder, 'events')).map(comparable);
    expect(rows).toEqual(expected);
  });

  it('has the same for DuckDB, with times as times, which it has in microseconds', async () => {
    const { folder, expected } = await exported('nettrace/activities-net10.v6.nettrace');
    const sql = 'SELECT * EXCLUDE (ts, date, service), epoch_us(ts) AS ts FROM $events ORDER BY ts_ns';
    const inMicroseconds = expected.map((row) => ({ ...row, ts: (row.ts as bigint) / 1000n }));
    expect((await askDuckDb(folder, sql)).map(comparable)).toEqual(inMicroseconds);
    const [partition] = await askDuckDb(
      folder,
      'SELECT DISTINCT date, service, typeof(ts) AS type FROM $events',
    );
    expect(partition).toEqual({
      date: '2024-05-17',
      service: 'shop',
      type: 'TIMESTAMP WITH TIME ZONE',
    });
  });

  it('leaves only files of tables, all of which exist', async () => {
    const { folder } = await exported('nettrace/activities-net10.v6.nettrace');
    expect(filesOf(folder).map((file) => file.slice(folder.length + 1).replace(/\/[^/]*$/, ''))).toEqual(
      ['activities', 'events', 'losses', 'processes', 'samples', 'stacks', 'threads'].map(
        (table) => `${table}/date=2024-05-17/service=shop`,
      ),
    );
  });
});
