/** A trace in Parquet: every column as the trace has it, read by two programs that know nothing of each other. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ParquetExport } from '../../../lib/export/parquet/parquet-export.ts';
import { openTrace } from '../../../lib/trace/open-trace.ts';
import { jsonValue, type TraceEvent } from '../../../lib/trace/trace-event.ts';
import { TraceActivities } from '../../../lib/view/trace-activities.ts';
import type { TracedActivity } from '../../../lib/view/traced-activity.ts';
import { dataFolder, dataIsRequired, SKIP_REASON } from '../../conformance/data-folder.ts';
import { askDuckDb, filesOf, type Row, readHyparquet } from './parquet-folder.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-parquet-'));
afterAll(() => rmSync(root, { recursive: true }));

/** Of a trace. */
const MAX_EVENTS = 10_000;

/** Exports a trace of the conformance data; returns the folder and the rows that `events` should have. */
async function exported(file: string): Promise<{ folder: string; expected: Row[] }> {
  const folder = mkdtempSync(join(root, 'lake-'));
  const trace = await openTrace(join(dataFolder ?? '', file), { onDamage: 'warning' });
  const parquet = new ParquetExport({
    folder,
    trace,
    service: 'shop',
  });
  const expected: Row[] = [];
  for await (const event of trace) {
    if (expected.length === MAX_EVENTS) break;
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
    host_name: null,
    container_id: null,
    pod_name: null,
    pod_uid: null,
    agent_rule: null,
    resource_attributes: null,
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

  it('has its activities as the views have them', async () => {
    const file = 'nettrace/activities-net10.v6.nettrace';
    const { folder } = await exported(file);
    const started: TracedActivity[] = [];
    const tracker = new TraceActivities();
    for await (const event of await openTrace(join(dataFolder ?? '', file))) {
      const change = tracker.add(event);
      if (change?.boundary === 'Start') started.push(change.activity);
    }
    const sql = `SELECT seq, parent_seq, provider, name, label, activity_id, depth, pid, tid, dur_ns, self_ns, state,
      end_ts_ns - start_ts_ns AS between, (start_payload->>'url') AS url FROM $activities ORDER BY seq`;
    const expected = started.map((activity) => ({
      seq: BigInt(activity.index),
      parent_seq: integer(activity.parent?.index),
      provider: activity.provider,
      name: activity.task,
      label: activity.label,
      activity_id: activity.id,
      depth: BigInt(activity.depth),
      pid: integer(activity.processId),
      tid: integer(activity.startThreadId),
      dur_ns: integer(activity.durationNs),
      self_ns: integer(activity.selfNs),
      state: activity.state,
      between: integer(activity.durationNs),
      url: activity.extra?.startsWith('/url=') ? activity.extra.slice('/url='.length) : null,
    }));
    expect(await askDuckDb(folder, sql)).toEqual(expected);
    const parents = `SELECT count(*) AS others FROM $activities AS child JOIN $activities AS parent
      ON parent.trace = child.trace AND parent.seq = child.parent_seq WHERE parent.path <> child.parent_path`;
    expect(await askDuckDb(folder, parents)).toEqual([{ others: 0n }]);
  });

  it('has the stacks of its CPU samples', async () => {
    const { folder, expected } = await exported('nettrace/only_managed_samples.nettrace');
    const sql = `SELECT count(*) AS samples, sum(len(frames)) AS frames FROM $samples JOIN $stacks
      USING (trace, stack_id)`;
    const sampled = expected.filter(({ provider }) => provider === 'Microsoft-DotNETCore-SampleProfiler');
    expect(sampled.length).toBeGreaterThan(100);
    const [row] = await askDuckDb(folder, sql);
    expect(row?.samples).toBe(BigInt(sampled.length));
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
