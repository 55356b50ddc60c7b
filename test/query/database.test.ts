/** Traces as a database: its tables, a view for each kind of event, and its macros, which agree with `view`. */
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { ParquetExport } from '../../lib/export/parquet/parquet-export.ts';
import { Database } from '../../lib/query/database.ts';
import { openDatabase } from '../../lib/query/index.ts';
import { event } from '../../lib/source/event.ts';
import { defineEventSource } from '../../lib/source/event-source.ts';
import { activityKey } from '../../lib/view/activity-key.ts';
import { ActivityStats } from '../../lib/view/activity-stats.ts';
import { ActivityTree, nodesOf } from '../../lib/view/activity-tree.ts';
import { criticalPath } from '../../lib/view/critical-path.ts';
import { during, type WrittenEvent, written } from '../view/written-events.ts';

const root = mkdtempSync(join(tmpdir(), 'tracewright-database-'));
const open: Database[] = [];
afterAll(() => {
  for (const database of open) database.close();
  rmSync(root, { recursive: true });
});

let count = 0;

/** A database of these events. */
async function databaseOf(events: readonly WrittenEvent[], properties = {}): Promise<Database> {
  const folder = join(root, `lake ${count++} [*?]'"`);
  const info = { format: 'nettrace', startTime: 0n, hasWallTime: true, pointerSize: 8, properties } as const;
  const tables = new ParquetExport({ folder, trace: { name: 'test', info } });
  for (const each of events) tables.add(written(each));
  await tables.end({ lostEvents: 0, lostBuffers: 0, lateEvents: 0, processNames: new Map() });
  const database = await Database.open([folder]);
  open.push(database);
  return database;
}

describe('a statement', () => {
  it.each([
    "SELECT * FROM read_text('/etc/passwd')",
    "SELECT * FROM read_text('$folder/../../../etc/passwd')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM '/etc/passwd'",
    "SELECT * FROM read_csv('http://127.0.0.1:1/x.csv')",
    "COPY (SELECT 1) TO '$outside/copied.csv'",
    "COPY (SELECT 1) TO '$folder/../copied.csv'",
    "EXPORT DATABASE '$outside/exported'",
    "ATTACH '$outside/attached.db'",
    'INSTALL httpfs',
    'INSTALL httpfs FROM community',
    'LOAD httpfs',
    "LOAD '$outside/evil.so'",
    'SET enable_external_access = true',
    "SET allowed_directories = ['/']",
    'RESET lock_configuration',
    'SET autoinstall_known_extensions = true',
    "SET temp_directory = '$outside/temp'",
    "SET log_query_path = '$outside/log'",
    "PRAGMA profiling_output = '$outside/profile'",
    "CALL enable_logging(storage = 'file', storage_path = '$outside/log')",
    "CREATE PERSISTENT SECRET kept (TYPE http, BEARER_TOKEN 'x')",
  ])('reaches nothing but the folder: %s', async (sql) => {
    const folder = join(root, `lake ${count} [*?]'"`);
    const outside = join(root, `outside ${count}`);
    mkdirSync(outside);
    const database = await databaseOf([{ name: 'A/B', at: 1, payload: {} }]);
    const attack = sql.replace('$folder', folder.replaceAll("'", "''")).replace('$outside', outside);
    await expect(database.query(attack)).rejects.toThrow(
      /operations are disabled|extensions is disabled|has been locked|not available here|Permission|does not exist/,
    );
    expect(readdirSync(outside)).toEqual([]);
    expect(await database.query('SELECT count(*) AS events FROM events')).toEqual([{ events: 1 }]);
  });
});

const HOSTILE = `Evil\0"'; DROP VIEW events; --\x1b[2J`;

describe('a view of a kind of event', () => {
  it('has a typed column for each field, also of 64-bit integers, which are text in the payload', async () => {
    const database = await databaseOf([
      {
        name: 'A/B',
        at: 1,
        payload: { i: 7, d: 1.5, b: true, s: 'x', big: 2n ** 63n, long: -5n, mixed: 1, o: { x: 1 } },
      },
      {
        name: 'A/B',
        at: 2,
        payload: { i: -7, d: 2, b: false, s: '', big: 1n, long: 2n, mixed: 'two', l: [1, 2] },
      },
    ]);
    const types = await database.query(
      `SELECT column_name AS name, column_type AS type FROM (DESCRIBE "A/B")`,
    );
    const typeOf = Object.fromEntries(types.map(({ name, type }) => [name, type]));
    expect(typeOf).toMatchObject({
      d: 'DOUBLE',
      b: 'BOOLEAN',
      s: 'VARCHAR',
      mixed: 'VARCHAR',
      o: 'JSON',
      l: 'JSON',
    });
    expect(typeOf).toMatchObject({
      ts_ns: 'BIGINT',
      pid: 'BIGINT',
      i: 'HUGEINT',
      big: 'HUGEINT',
      long: 'HUGEINT',
    });
    const [sums] =
      await database.query(`SELECT sum(i) AS i, sum(long) AS long, max(big) AS big, list(mixed ORDER BY ts_ns) AS
      mixed FROM "A/B"`);
    expect(sums).toEqual({ i: 0, long: -3, big: 2n ** 63n, mixed: ['1', 'two'] });
  });

  it('has its fields under other names where a column of all events, or another field, has the name', async () => {
    const payload = { pid: 'a', Url: 'b', url: 'c', name: 'd', '': 'e', 'a/b~c"d': 'f' };
    const database = await databaseOf([{ name: 'A/B', at: 1, payload }]);
    const [row] = await database.query('FROM "A/B"');
    expect(row).toMatchObject({
      pid: 4321,
      payload_pid: 'a',
      Url: 'b',
      url_2: 'c',
      name: 'd',
      'a/b~c"d': 'f',
    });
  });

  it('can have any name', async () => {
    const database = await databaseOf([
      { name: `A/${HOSTILE}`, at: 1, payload: { [HOSTILE]: HOSTILE } },
      { name: 'A/evil', at: 2 },
      { name: 'A/EVIL', at: 3 },
    ]);
    const rows = await database.query(
      `SELECT view_name AS name FROM duckdb_views() WHERE contains(view_name, '/')`,
    );
    const names = rows.map(({ name }) => String(name)).sort();
    const shown = `A/${HOSTILE.replace('\0', '\ufffd')}`;
    expect(names).toEqual(['A/EVIL', 'A/evil_2', shown].sort());
    const [row] = await database.query(`FROM "${shown.replace('"', '""')}"`);
    expect(row?.[HOSTILE.replace('\0', '\ufffd')]).toBe(HOSTILE);
    expect(await database.query('SELECT count(*) AS n FROM events')).toEqual([{ n: 3 }]);
  });
});

describe('a database', () => {
  it('has all tables, also those without a row', async () => {
    const database = await databaseOf([{ name: 'A/B', at: 1 }]);
    for (const table of ['activities', 'samples', 'stacks', 'losses', 'processes', 'threads']) {
      await database.query(`SELECT trace, date, service FROM ${table}`);
    }
    expect(await database.query('FROM percentiles()')).toEqual([]);
    expect(await database.query('FROM critical_path()')).toEqual([]);
    expect(await database.query('FROM cpu_by()')).toEqual([]);
  });

  it('answers with the rows of the last statement, and fails in words', async () => {
    const database = await databaseOf([{ name: 'A/B', at: 1 }]);
    expect(
      await database.query("SELECT 1 AS a; SELECT [1, NULL] AS l, {'x': DATE '2026-01-01'} AS s"),
    ).toEqual([{ l: [1, null], s: { x: '2026-01-01' } }]);
    await expect(database.query('SELECT nothing')).rejects.toThrow('nothing');
  });

  it('can be interrupted', async () => {
    const database = await databaseOf([{ name: 'A/B', at: 1 }]);
    const running = database.query('SELECT count(*) FROM range(1e12::BIGINT) a WHERE hash(a.range) = 1');
    const failed = expect(running).rejects.toThrow(/interrupt/i);
    const interrupting = setInterval(() => database.interrupt(), 20);
    await failed;
    clearInterval(interrupting);
    expect(await database.query('SELECT 1 AS a')).toEqual([{ a: 1 }]);
  });

  it('needs folders with tables', async () => {
    await expect(Database.open([root])).rejects.toThrow(`${root} has no tables`);
  });
});

/** Nested activities at random, with equal times among them, as the tree of `view` and as a database. */
const EVENTS = nested(7);
function nested(seed: number): WrittenEvent[] {
  let state = seed;
  const next = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const activities: [task: string, id: string, from: number, to: number | undefined][] = [];
  const grow = (id: string, from: number, to: number, depth: number) => {
    const task = ['Request', 'Db', 'Cache'][depth] as string;
    activities.push([task, id, from, next(12) === 0 ? undefined : to]);
    if (depth === 2) return;
    for (let child = 1; child <= next(5); child++) {
      const start = from + next(to - from);
      grow(`${id}/${child}`, start, start + 1 + next(to - start + 3), depth + 1);
    }
  };
  for (let request = 1; request <= 20; request++)
    grow(`//1/${request}`, request * 10, request * 10 + 5 + next(90), 0);
  return during(
    ...activities.map(([task, id, from, to]): Parameters<typeof during>[0] =>
      to === undefined ? [task, id, from] : [task, id, from, to],
    ),
  );
}

describe('the macros', () => {
  const tree = new ActivityTree();
  for (const each of EVENTS) tree.add(written(each));
  const nodes = tree.roots.flatMap((each) => [...nodesOf(each)]);
  const pathOf = ({ activity }: { activity: { id: string } }) => activityKey(activity.id, 4321)?.text ?? '';
  let database: Database;
  beforeAll(async () => {
    database = await databaseOf(EVENTS);
  });

  it('find the critical paths of view', async () => {
    const { nowNs } = tree.activities;
    for (const node of tree.roots) {
      const expected = criticalPath(node, nowNs).map((step) => [
        pathOf(step.node),
        step.depth,
        step.durationNs / 1e6,
        step.selfNs / 1e6,
      ]);
      const rows = await database.query(
        `SELECT path, depth, dur_ms, self_ms FROM critical_path('${pathOf(node)}')`,
      );
      expect(rows.map((row) => Object.values(row))).toEqual(expected);
    }
  });

  it('find the slowest activity of view', async () => {
    const one = new ActivityTree({ slowest: 1 });
    for (const each of EVENTS) one.add(written(each));
    const rows = await database.query('SELECT path FROM critical_path() WHERE depth = 0');
    expect(rows.map(({ path }) => path)).toEqual(one.roots.map(pathOf));
  });

  it('find the percentiles of view, which are accurate to 1/256', async () => {
    const stats = new ActivityStats();
    for (const { activity } of nodes) stats.addActivity(activity);
    const rows = await database.query('FROM percentiles()');
    expect(rows).toHaveLength(3);
    for (const { activity, count, p50_ms, p99_ms, max_ms, total_ms } of rows) {
      const { stopped, totalNs, durations } = stats.of(String(activity)) ?? expect.fail();
      expect([count, total_ms, max_ms]).toEqual([stopped, totalNs / 1e6, (durations.at(1) ?? 0) / 1e6]);
      for (const [found, share] of [
        [p50_ms, 0.5],
        [p99_ms, 0.99],
      ] as const) {
        const inView = (durations.at(share) ?? 0) / 1e6;
        expect(Math.abs(Number(found) - inView)).toBeLessThanOrEqual(inView / 256);
      }
    }
    expect(await database.query("FROM percentiles('demo/db')")).toEqual(
      rows.filter(({ activity }) => activity === 'Demo/Db'),
    );
  });

  it('find what is in an activity', async () => {
    for (const node of tree.roots) {
      const path = pathOf(node);
      const children = await database.query(`SELECT path FROM children_of('${path}')`);
      expect(children.map((row) => row.path)).toEqual(node.children.map(pathOf));
      const events = await database.query(`SELECT count(*) AS n FROM under('${path}/')`);
      const inside = EVENTS.filter(({ id = '' }) => id === path || id.startsWith(`${path}/`));
      expect(events).toEqual([{ n: inside.length }]);
    }
  });

  it('count CPU samples in an activity and everything in it', async () => {
    const sample = (id: string | undefined, at: number, stack: bigint, threadId = 1): WrittenEvent => ({
      name: 'Microsoft-DotNETCore-SampleProfiler/ThreadSample',
      at,
      threadId,
      ...(id !== undefined && { id }),
      stack: [stack, 1n],
    });
    const events = [
      ...during(['Request', '//1/1', 0, 10], ['Db', '//1/1/1', 1, 5], ['Request', '//1/2', 0, 10]),
      sample('//1/1', 2, 0x10n),
      sample('//1/1/1', 3, 0x20n),
      sample('//1/1/1', 4, 0x20n),
      sample('//1/9', 5, 0x30n),
      // Another thread says which activity it runs; its samples do not.
      { name: 'Node.Runtime/ActivitySwitch', at: 5, id: '//1/2', threadId: 2 },
      sample(undefined, 6, 0x30n, 2),
    ];
    const sampled = await databaseOf(
      events.sort((a, b) => a.at - b.at),
      {
        ExpectedCPUSamplingRate: '1000000',
      },
    );
    const rows = await sampled.query("SELECT activity, path, samples, cpu_ms FROM cpu_by('Request')");
    expect(rows).toEqual([
      { activity: 'Demo/Request', path: '//1/1', samples: 3, cpu_ms: 3 },
      { activity: 'Demo/Request', path: '//1/2', samples: 1, cpu_ms: 1 },
    ]);
    const functions = await sampled.query("SELECT samples, cpu_ms FROM cpu_functions('Request')");
    expect(functions).toEqual([
      { samples: 2, cpu_ms: 2 },
      { samples: 1, cpu_ms: 1 },
      { samples: 1, cpu_ms: 1 },
    ]);
    expect(await sampled.query('SELECT sum(samples) AS n FROM cpu_functions()')).toEqual([{ n: 5 }]);
  });
});

describe('openDatabase', () => {
  it('opens a trace for a program, and leaves nothing behind', async () => {
    const log = defineEventSource('Database-Test', {
      RequestStart: event({ url: 'string', size: 'uint64' }),
      RequestStop: event({ success: 'bool', errorMessage: 'string' }),
    });
    const trace = join(root, 'trace.nettrace');
    const session = startSession({ providers: [{ name: 'Database-Test' }], output: trace });
    log.activity('Request', { url: '/a', size: 7n }, () => {});
    await session.close();
    const before = temporaryFolders();
    const database = await openDatabase(trace);
    expect(temporaryFolders()).toHaveLength(before.length + 1);
    expect(await database.query('SELECT url, size FROM "Database-Test/RequestStart"')).toEqual([
      { url: '/a', size: 7 },
    ]);
    database.close();
    database.close();
    expect(temporaryFolders()).toEqual(before);
    await expect(openDatabase(join(root, 'gone.etl'))).rejects.toThrow('gone.etl');
    expect(temporaryFolders()).toEqual(before);
  });
});

const temporaryFolders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('tracewright-query-'));
