/** `tracewright query`, on the built package. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startSession } from '../../lib/eventpipe/start-session.ts';
import { event } from '../../lib/source/event.ts';
import { defineEventSource } from '../../lib/source/event-source.ts';
import { missingOnWindows, named } from '../platforms.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'tracewright-query-test-'));
afterAll(() => rmSync(folder, { recursive: true }));
/** Where the command puts its temporary folders. */
const temporary = join(folder, 'tmp');
const home = join(folder, 'home');
const trace = join(folder, 'shop.nettrace');
const lake = join(folder, 'lake[1]');

const HOSTILE = '\x1b]0 owned\x07\x9b31m\u202e"|<b>';
const env = { ...process.env, TMPDIR: temporary, HOME: home, NO_COLOR: '1' };

function query(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'query', ...args], {
    encoding: 'utf8',
    env,
    input,
  });
  return { status, stdout, stderr };
}

beforeAll(async () => {
  mkdirSync(temporary);
  mkdirSync(home);
  const log = defineEventSource('Query-Shop', {
    OrderStart: event({ item: 'string', price: 'int64' }),
    OrderStop: event({ success: 'bool', errorMessage: 'string' }),
    [`Note${HOSTILE}`]: event({ [`text${HOSTILE}`]: 'string' }),
  });
  const session = startSession({ providers: [{ name: 'Query-Shop' }], output: trace });
  for (const [item, price] of [
    ['tea', 3n],
    ['cup', 12n],
    [HOSTILE, 40n],
  ] as const) {
    log.activity('Order', { item, price }, () =>
      log[`Note${HOSTILE}`]?.({ [`text${HOSTILE}`]: HOSTILE } as never),
    );
  }
  await session.close();
  spawnSync(process.execPath, [main, 'export', '--parquet', lake, '--service', 'shop', trace]);
});

describe('a query', () => {
  it('answers as a table', () => {
    expect(query([trace, 'SELECT name, count(*) AS "how many" FROM activities GROUP BY name'])).toEqual({
      status: 0,
      stdout: 'name   how many\nOrder         3\n',
      stderr: '',
    });
  });

  it('answers as CSV, JSON and Markdown, which keep what a trace says and show it harmlessly', () => {
    const sql = 'SELECT item, price FROM "Query-Shop/OrderStart" ORDER BY price DESC LIMIT 2';
    expect(query([trace, '--csv', sql]).stdout).toBe(
      `item,price\r\n"${HOSTILE.replace('"', '""')}",40\r\ncup,12\r\n`,
    );
    const json = query([trace, '--json', sql]).stdout;
    expect(json).toMatch(/^[ -~\n]*$/);
    expect(JSON.parse(json.split('\n')[0] ?? '')).toEqual({ item: HOSTILE, price: 40 });
    expect(query([trace, '--markdown', sql]).stdout).toBe(
      '| item | price |\n| --- | ---: |\n' +
        '| \\u{1b}\\]0 owned\\u{7}\\u{9b}31m\\u{202e}"\\|&#60;b\\> | 40 |\n| cup | 12 |\n',
    );
  });

  it('answers as a chart', () => {
    const sql = 'SELECT item, price FROM "Query-Shop/OrderStart" WHERE price < 20 ORDER BY price DESC';
    expect(query([trace, '--chart', sql]).stdout).toBe(
      `price\ncup  12  ${'█'.repeat(91)}\ntea   3  ${'█'.repeat(22)}▊\n`,
    );
    expect(query([trace, '--chart', 'SELECT item FROM "Query-Shop/OrderStart"'])).toMatchObject({
      status: 1,
      stderr: 'tracewright: A chart needs a column with numbers: the answer has none.\n',
    });
  });

  it('knows the fields of a kind of event by names that only quotes can hold', () => {
    const name = `"Query-Shop/Note${HOSTILE.replace('"', '""')}"`;
    const { status, stdout } = query([trace, '--json', `FROM ${name} LIMIT 1`]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)[`text${HOSTILE}`]).toBe(HOSTILE);
    expect(query([trace, `SELECT * FROM ${name}`]).stdout).toMatch(/^[ -~\n]*$/);
  });

  it('reads a folder of Parquet files, also beside a trace', () => {
    const sql = 'SELECT service, count(*) AS events FROM events GROUP BY service ORDER BY service';
    expect(query([lake, sql, '--csv']).stdout).toBe('service,events\r\nshop,9\r\n');
    const both = query([trace, lake, sql, '--csv']).stdout.split('\r\n');
    expect(both.slice(1, 3).map((line) => line.split(',')[1])).toEqual(['9', '9']);
  });

  it('runs the statements of standard input until one fails', () => {
    const input = "SELECT 1 AS a;\n\nSELECT ';' -- not yet;\n AS b;\nSELECT nothing;\nSELECT 2;";
    const { status, stdout, stderr } = query([trace, '--csv'], input);
    expect({ status, stdout }).toEqual({ status: 1, stdout: 'a\r\n1\r\nb\r\n;\r\n' });
    expect(stderr).toContain('nothing');
  });

  it('lists tables and columns', () => {
    const { stdout } = query(
      [trace, '--csv'],
      '.tables\n.schema activities\n.mode json\nSELECT 1 AS a;\n.quit\nSELECT 2;',
    );
    expect(stdout).toContain('Query-Shop/OrderStart,events');
    expect(stdout).toContain('critical_path(of_activity),macro');
    expect(stdout).toContain('dur_ns,BIGINT');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('{"a":1}');
  });

  it('says in a sentence what is wrong', () => {
    const empty = join(folder, 'empty');
    mkdirSync(empty);
    expect(query([empty, 'SELECT 1']).stderr).toContain('has no tables');
    expect(query([join(folder, 'gone.etl'), 'SELECT 1']).stderr).toContain('There is no file');
    expect(query(['SELECT 1']).stderr).toContain('query needs at least one FILE before the SQL.');
    expect(query([trace, '--csv', '--json', 'SELECT 1'])).toMatchObject({ status: 2 });
    expect(query(['-']).stderr).toContain('query needs the SQL as an argument');
    expect(query([trace, `SELECT "${HOSTILE.replace('"', '')}"`]).stderr).toMatch(/^[ -~\n^]*$/);
  });

  it('says how to install DuckDB where it is missing', () => {
    const hook = join(folder, 'without-duckdb.cjs');
    writeFileSync(
      hook,
      `const Module = require('node:module');
      const load = Module._load;
      Module._load = (name, ...rest) => {
        if (name !== '@duckdb/node-api') return load(name, ...rest);
        throw Object.assign(new Error("Cannot find module '" + name + "'"), { code: 'MODULE_NOT_FOUND' });
      };`,
    );
    const args = ['--require', hook, main, 'query', trace, 'SELECT 1'];
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr:
        'tracewright: SQL needs DuckDB, which is not installed: run "npm install @duckdb/node-api" where tracewright is ' +
        'installed.\n',
    });
  });

  it('removes what a killed query has left a day ago', () => {
    const dead = 2 ** 31 - 2;
    const [old, recent] = [`tracewright-query-${dead}-aaaaaa`, `tracewright-query-${dead}-bbbbbb`] as const;
    for (const name of [old, recent]) mkdirSync(join(temporary, name));
    const dayAgo = new Date(Date.now() - 86_500_000);
    utimesSync(join(temporary, old), dayAgo, dayAgo);
    expect(query([lake, 'SELECT 1']).status).toBe(0);
    expect(readdirSync(temporary)).toEqual([recent]);
    rmSync(join(temporary, recent), { recursive: true });
  });

  it('leaves no temporary files', () => {
    expect(readdirSync(temporary)).toEqual([]);
  });
});

const windows = missingOnWindows('signals and pseudo-terminals');

describe.skipIf(windows !== undefined)(named('a query on a terminal', windows), () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'leaves no temporary files when %s ends it',
    async (signal) => {
      const slow = 'SELECT count(*) FROM range(1e12::BIGINT) a WHERE hash(a.range) = 1';
      const child = spawn(process.execPath, [main, 'query', trace, slow], { env, stdio: 'ignore' });
      const ended = once(child, 'exit');
      await vi.waitFor(() => expect(readdirSync(temporary)).toHaveLength(1), { timeout: 20_000 });
      child.kill(signal);
      expect(await ended).toEqual([null, signal]);
      expect(readdirSync(temporary)).toEqual([]);
    },
  );

  it('prompts, keeps a history, and goes on after errors and Ctrl-C', async () => {
    const command = [process.execPath, main, 'query', trace].map((word) => `'${word}'`).join(' ');
    const child = spawn('script', ['-qefc', command, '/dev/null'], { env: { ...env, TERM: 'dumb' } });
    let shown = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      shown += text;
    });
    const seen = (text: string) =>
      vi.waitFor(() => expect(shown).toContain(text), { timeout: 20_000, interval: 20 });
    const type = (text: string) => {
      shown = '';
      child.stdin.write(text);
    };
    await seen('sql> ');
    type('SELECT 40 +\r');
    await seen('...> ');
    type('2 AS answer;\r');
    await seen('42');
    type('SELECT nothing;\r');
    await seen('nothing');
    await seen('sql> ');
    type('SELECT count(*) FROM range(1e12::BIGINT) a WHERE hash(a.range) = 1;\r');
    await seen('= 1;');
    child.stdin.write('\x03');
    await seen('INTERRUPT');
    const ended = once(child, 'exit');
    type('.quit\r');
    await ended;
    expect(readFileSync(join(home, '.tracewright_history'), 'utf8').split('\n')).toContain('SELECT 40 +');
    expect(existsSync(temporary) && readdirSync(temporary)).toEqual([]);
  });
});
