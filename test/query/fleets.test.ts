/** docs/fleets.md: its queries, in DuckDB and ClickHouse, on a folder of 20 processes' partitions. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Output } from '../../lib/cli/output.ts';
import { QuerySession } from '../../lib/cli/query/query-prompt.ts';
import { Database } from '../../lib/query/database.ts';
import { loadDuckDb } from '../../lib/query/duckdb.ts';
import { queryResult } from '../../lib/query/query-result.ts';
import { named } from '../platforms.ts';
import { type FleetTrace, writeFleet } from './fleet.ts';
import { fleetAnswers } from './fleet-answers.ts';

type Rows = (readonly unknown[])[];

const text = readFileSync(new URL('../../docs/fleets.md', import.meta.url), 'utf8');
const folder = mkdtempSync(join(tmpdir(), 'tracewright-fleet-'));
let fleet: FleetTrace[] = [];
let database: Database;
beforeAll(async () => {
  fleet = await writeFleet(folder);
  database = await Database.open([folder]);
});
afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

/** The first block after this line. */
function sqlAfter(heading: RegExp): string {
  const at = text.search(heading);
  expect(at, String(heading)).toBeGreaterThan(0);
  const sql = /```sql\n(.*?)```/s.exec(text.slice(at))?.[1] ?? '';
  return sql.replaceAll("'lake/", `'${folder}/`);
}

const QUESTIONS = [...text.matchAll(/^### (\d+)\. (.*)$/gm)].map(([, number, question = '']) => ({
  number: Number(number),
  question,
}));
const questionSql = (number: number) => sqlAfter(new RegExp(`^### ${number}\\. `, 'm'));
const STEPS = ['growth', 'causes', 'query'];
const stepSql = (step: string) => sqlAfter(new RegExp(`^<!-- session: ${step} -->$`, 'm'));

/** Sums of fractions depend on their order, in the last digits. */
function rounded(rows: Rows): unknown {
  const plain = JSON.stringify(rows, (_, value) =>
    typeof value === 'number' ? Number(value.toPrecision(12)) : value,
  );
  return JSON.parse(plain);
}

interface ClickHouse {
  query(sql: string, format: string): string;
  cleanup(): void;
}

/** ClickHouse, where there is a build of it; undefined elsewhere. */
function openClickHouse(): ClickHouse | undefined {
  try {
    return new (createRequire(import.meta.url)('chdb').Session)();
  } catch {
    return undefined;
  }
}

const clickHouse = openClickHouse();
afterAll(() => clickHouse?.cleanup());
const withoutClickHouse = clickHouse === undefined ? 'chdb has no ClickHouse for this system' : undefined;

function inClickHouse(sql: string): Rows {
  const lines = (clickHouse as ClickHouse).query(sql, 'JSONCompactEachRow').trim().split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line));
}

describe('the twelve questions', () => {
  it('are twelve', () => {
    expect(QUESTIONS.map(({ number }) => number)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it('have the answers of view, in DuckDB with the documented setup', async () => {
    const instance = await loadDuckDb().DuckDBInstance.create(':memory:', {});
    const connection = await instance.connect();
    await connection.run(sqlAfter(/^### DuckDB$/m));
    await expectAnswers(async (sql) => {
      const rows: Rows = [];
      for await (const row of queryResult(await connection.stream(sql)).rows) rows.push(row);
      return rows;
    });
    connection.closeSync();
    instance.closeSync();
  });

  it('have the same answers in tracewright query', async () => {
    await expectAnswers(async (sql) => (await database.query(sql)).map((row) => Object.values(row)));
  });

  it.skipIf(withoutClickHouse !== undefined)(
    named('have the same answers in ClickHouse, with the documented setup', withoutClickHouse),
    async () => {
      setUpClickHouse();
      await expectAnswers(async (sql) => inClickHouse(sql));
    },
  );
});

async function expectAnswers(ask: (sql: string) => Promise<Rows>): Promise<void> {
  const answers = fleetAnswers(fleet);
  for (const { number, question } of QUESTIONS) {
    const rows = await ask(questionSql(number));
    expect(rounded(rows), question).toEqual(rounded(answers[number - 1] as Rows));
    expect(rows.length, question).toBeGreaterThan(1);
  }
}

function setUpClickHouse(): void {
  const setup = sqlAfter(/^### ClickHouse$/m).replaceAll('CREATE VIEW', 'CREATE OR REPLACE VIEW');
  for (const statement of setup.replaceAll('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').split(';')) {
    if (statement.trim() !== '') clickHouse?.query(statement, 'JSONCompactEachRow');
  }
}

describe('the investigation', () => {
  it('has the documented answers', async () => {
    let shown = '';
    const write = vi.spyOn(process.stdout, 'write').mockImplementation((piece) => {
      shown += piece;
      return true;
    });
    try {
      for (const step of STEPS) {
        shown = '';
        await new QuerySession(database, 'table', new Output()).answer(stepSql(step));
        const documented = text.split(`<!-- answer: ${step} -->\n`)[1];
        expect(documented?.startsWith(`\`\`\`text\n${shown}\`\`\`\n`), shown).toBe(true);
      }
    } finally {
      write.mockRestore();
    }
  });

  it.skipIf(withoutClickHouse !== undefined)(
    named('has the same answers in ClickHouse', withoutClickHouse),
    async () => {
      setUpClickHouse();
      for (const step of STEPS) {
        const rows = (await database.query(stepSql(step))).map((row) => Object.values(row));
        expect(rounded(inClickHouse(stepSql(step)))).toEqual(rounded(rows));
      }
    },
  );

  it('finds the query that became slow', async () => {
    const [first] = await database.query(stepSql('growth'));
    expect(first?.route).toBe('/search');
    const [before, after] = await database.query(stepSql('causes'));
    const grew = (column: string) => Number(after?.[column]) - Number(before?.[column]);
    expect(grew('query_ms')).toBeGreaterThan(0.9 * grew('mean_ms'));
    expect(Math.abs(grew('cpu_ms')) + Math.abs(grew('gc_ms'))).toBeLessThan(0.02 * grew('mean_ms'));
  });
});

/** Those of every table, named before them. */
const OF_ALL = [
  ...['date', 'service', 'host_name', 'container_id', 'pod_name', 'pod_uid', 'agent_rule'],
  'resource_attributes',
];

describe('the documented tables', () => {
  it('have the columns that are written', async () => {
    const written =
      await database.query(`SELECT table_name AS name, list(column_name ORDER BY column_index) AS columns
      FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal AND NOT contains(table_name, '/') GROUP BY ALL`);
    for (const { name, columns } of written) {
      const row = new RegExp(`^\\| ${name} \\| [^|]* \\| (.*) \\|$`, 'm').exec(text)?.[1];
      expect(row?.split(', '), String(name)).toEqual(
        (columns as string[]).filter((column) => !OF_ALL.includes(column)),
      );
    }
    expect(written).toHaveLength(7);
  });

  it('are the ones that Trino is told', async () => {
    const [, told = ''] = /CREATE TABLE hive\.traces\.activities \((.*?)\) WITH/s.exec(text) ?? [];
    for (const [, name, type] of told.matchAll(/(\w+) (varchar|bigint|date)/g)) {
      const types = { varchar: 'VARCHAR', bigint: 'BIGINT', date: 'DATE' };
      const [column] = await database.query(
        `SELECT column_type FROM (DESCRIBE activities) WHERE column_name = '${name}'`,
      );
      expect(column?.column_type, name).toBe(types[type as keyof typeof types]);
    }
  });
});
