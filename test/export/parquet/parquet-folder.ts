/** A folder of Parquet, as other programs read it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

export type Row = Record<string, unknown>;

/** What the tests use of @duckdb/node-api. */
interface DuckDb {
  readonly DuckDBInstance: { create(path: string, options: Record<string, string>): Promise<Instance> };
}

interface Instance {
  connect(): Promise<Connection>;
  closeSync(): void;
}

interface Connection {
  runAndReadAll(sql: string): Promise<{ getRowObjectsJS(): Row[] }>;
  closeSync(): void;
}

/** What they use of hyparquet. */
interface HyParquet {
  asyncBufferFromFile(path: string): Promise<unknown>;
  parquetReadObjects(options: { readonly file: unknown; readonly parsers: object }): Promise<Row[]>;
}

const load = (name: string): Promise<unknown> => import(name);

/** The files of a table, or of all, from the folder. */
export function filesOf(folder: string, table = ''): string[] {
  return readdirSync(join(folder, table), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();
}

/** The answer of DuckDB. `$events` and other tables stand for those of the folder. */
export async function askDuckDb(folder: string, sql: string): Promise<Row[]> {
  const { DuckDBInstance } = (await load('@duckdb/node-api')) as DuckDb;
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' });
  const connection = await instance.connect();
  try {
    const text = sql.replaceAll(
      /\$(\w*)/g,
      (_, table) =>
        `read_parquet('${join(folder, table)}/**/*.parquet', hive_partitioning = true, hive_types_autocast = false)`,
    );
    return (await connection.runAndReadAll(text)).getRowObjectsJS();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** All rows of a table by hyparquet, a program of its own; times as nanoseconds since 1970. */
export async function readHyparquet(folder: string, table: string): Promise<Row[]> {
  const { asyncBufferFromFile, parquetReadObjects } = (await load('hyparquet')) as HyParquet;
  const rows: Row[] = [];
  const parsers = { timestampFromNanoseconds: (nanos: bigint) => nanos };
  for (const path of filesOf(folder, table)) {
    const file = await asyncBufferFromFile(path);
    rows.push(...(await parquetReadObjects({ file, parsers })));
  }
  return rows;
}
