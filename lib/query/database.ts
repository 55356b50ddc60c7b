/** Folders of Parquet files as a database in SQL: DuckDB with views of their tables, a view per kind of event, macros. */
import { statSync } from 'node:fs';
import { basename, join } from 'node:path';
import {
  ActivityTable,
  EventTable,
  LossTable,
  ProcessTable,
  SampleTable,
  StackTable,
  type Table,
  ThreadTable,
} from '../export/parquet/tables.ts';
import { type Column, Type } from '../wire/parquet/column.ts';
import { type DuckDbConnection, loadDuckDb } from './duckdb.ts';
import { createEventViews } from './event-views.ts';
import { MACROS } from './macros.ts';
import { PrivateFolder } from './private-folder.ts';
import { type QueryResult, type QueryRow, queryResult } from './query-result.ts';
import { identifier, literal } from './sql-text.ts';

/** The folders in a folder of Parquet files. */
const TABLES: Readonly<Record<string, () => Table>> = {
  events: () => new EventTable(),
  activities: () => new ActivityTable(),
  samples: () => new SampleTable(),
  stacks: () => new StackTable(),
  processes: () => new ProcessTable(),
  threads: () => new ThreadTable(),
  losses: () => new LossTable(),
};

/** What the names of the folders say about the rows of all tables. */
const PARTITIONS = ['date', 'service'];

/** Whether a statement may need the views of kinds of events, for which all events must be read. */
const NAMES_KIND = /"[^"]*\/|\b(?:duckdb_|information_schema|show)/i;

const URL_START = /^[a-z][a-z\d]+:\/\//;

/** Whether it is not a trace: a folder, or the URL of one. */
export function isTableFolder(path: string): boolean {
  return URL_START.test(path) || statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** Adds a trace to a database. */
type WriteTables = (folder: string) => Promise<void>;

export class Database {
  /** Whether the rarest kinds of events have no view, because there are too many. */
  lacksKinds = false;
  /** Whether a statement runs whose rows have not all been read. */
  isRunning = false;
  readonly #connection: DuckDbConnection;
  #close: () => void;
  #hasEventViews = false;

  private constructor(connection: DuckDbConnection, close: () => void) {
    this.#connection = connection;
    this.#close = close;
  }

  /**
   * @param folders of Parquet files: paths, or URLs that DuckDB knows
   * @param write writes the tables of traces into a temporary folder
   * @throws Error a sentence: if DuckDB is not installed, or a folder has no tables
   */
  static async open(folders: readonly string[], write?: WriteTables): Promise<Database> {
    const { DuckDBInstance } = loadDuckDb();
    const own = new PrivateFolder();
    try {
      await write?.(own.path);
      const temporary = { temp_directory: join(own.path, 'spilled') };
      const instance = await DuckDBInstance.create(':memory:', { ...temporary, ...NO_EXTENSIONS });
      const connection = await instance.connect();
      const close = () => {
        connection.closeSync();
        instance.closeSync();
        own.remove();
      };
      try {
        if (folders.some((folder) => URL_START.test(folder))) await loadHttp(connection);
        await createViews(connection, folders, write === undefined ? undefined : own.path);
        await confine(connection, [...folders, own.path]);
        return new Database(connection, close);
      } catch (error) {
        close();
        throw error;
      }
    } catch (error) {
      own.remove();
      throw error;
    }
  }

  /**
   * Runs one statement after another.
   *
   * @throws Error DuckDB's, in words
   */
  async *statements(sql: string): AsyncGenerator<QueryResult, void, undefined> {
    // DuckDB 1.5 ends the process when it closes a log whose file it may not write.
    if (/enable_logging/i.test(sql)) throw new Error("DuckDB's logs are not available here: enable_logging.");
    if (!this.#hasEventViews && NAMES_KIND.test(sql)) {
      this.#hasEventViews = true;
      const columns = [...new EventTable().columns.map(({ name }) => name), ...PARTITIONS];
      this.lacksKinds = (await createEventViews(this.#connection, columns)) > 0;
    }
    const statements = await this.#connection.extractStatements(sql);
    for (let index = 0; index < statements.count; index++) {
      const statement = await statements.prepare(index);
      this.isRunning = true;
      try {
        yield queryResult(await statement.stream());
      } finally {
        this.isRunning = false;
        statement.destroySync();
      }
    }
  }

  /** The rows of the last statement. @throws Error DuckDB's, in words */
  async query(sql: string): Promise<QueryRow[]> {
    let last: QueryRow[] = [];
    for await (const { columns, rows } of this.statements(sql)) {
      last = [];
      for await (const row of rows) {
        last.push(Object.fromEntries(columns.map(({ name }, index) => [name, row[index] ?? null])));
      }
    }
    return last;
  }

  /** Ends the running statement, with an error. */
  interrupt(): void {
    this.#connection.interrupt();
  }

  close(): void {
    this.#close();
    this.#close = () => {};
  }

  [Symbol.dispose](): void {
    this.close();
  }
}

/** DuckDB would download programs that a statement needs, and run them. */
const NO_EXTENSIONS = {
  autoinstall_known_extensions: 'false',
  autoload_known_extensions: 'false',
  allow_community_extensions: 'false',
};

/** @throws Error a sentence */
async function loadHttp(connection: DuckDbConnection): Promise<void> {
  try {
    await connection.run('LOAD httpfs');
  } catch (error) {
    throw new Error(
      'URLs need DuckDB\'s extension httpfs, which is not installed: run "INSTALL httpfs" once in DuckDB itself.',
      { cause: error },
    );
  }
}

/**
 * From here on, statements reach these folders only. Statements may come from elsewhere, and would otherwise read and
 * write all files of this user, and the network.
 */
async function confine(connection: DuckDbConnection, folders: readonly string[]): Promise<void> {
  // DuckDB compares patterns, too, as they are written.
  const allowed = folders.flatMap((folder) => [plainPath(folder), escapedForGlob(folder)]);
  await connection.run(`SET allowed_directories = [${allowed.map((path) => literal(`${path}/`))}]`);
  await connection.run('SET enable_external_access = false');
  await connection.run('SET lock_configuration = true');
}

async function createViews(
  connection: DuckDbConnection,
  folders: readonly string[],
  own: string | undefined,
): Promise<void> {
  await connection.run("SET TimeZone = 'UTC'");
  const all = own === undefined ? folders : [...folders, own];
  const found = new Set<string>();
  for (const [name, make] of Object.entries(TABLES)) {
    const patterns: string[] = [];
    for (const folder of all) {
      const pattern = `${escapedForGlob(folder)}/${name}/**/*.parquet`;
      if (!(await hasFiles(connection, pattern))) continue;
      patterns.push(pattern);
      found.add(folder);
    }
    await connection.run(
      patterns.length === 0 ? emptyTable(name, make().columns) : viewOfFiles(name, patterns),
    );
  }
  const empty = folders.find((folder) => !found.has(folder));
  if (empty !== undefined) {
    throw new Error(
      `${empty} has no tables: no folder such as "${basename(empty)}/events" with Parquet files.`,
    );
  }
  await connection.run(MACROS);
}

async function hasFiles(connection: DuckDbConnection, pattern: string): Promise<boolean> {
  const result = await connection.stream(`SELECT 1 FROM glob(${literal(pattern)}) LIMIT 1`);
  for await (const rows of result.yieldRows()) if (rows.length > 0) return true;
  return false;
}

/** Escapes the wildcards of a path. */
function escapedForGlob(folder: string): string {
  return plainPath(folder).replace(/[*?[]/g, '[$&]');
}

/** Returns the path as DuckDB writes it, without a slash at its end. */
function plainPath(folder: string): string {
  return folder.replaceAll('\\', '/').replace(/(?<!\/)\/+$/, '');
}

/** The partitions are columns, too; without types, a service named 1 would be a number. */
function viewOfFiles(name: string, patterns: readonly string[]): string {
  return `CREATE VIEW ${identifier(name)} AS SELECT * FROM read_parquet([${patterns.map(literal)}],
    union_by_name = true, hive_partitioning = true, hive_types = {'date': DATE, 'service': VARCHAR})`;
}

function emptyTable(name: string, columns: readonly Column[]): string {
  const typed = columns.map((column) => `${identifier(column.name)} ${typeOf(column)}`);
  return `CREATE TABLE ${identifier(name)} (${[...typed, 'date DATE', 'service VARCHAR'].join(', ')})`;
}

function typeOf({ type, logical, isList }: Column): string {
  if (type === Type.ByteArray) return isList ? 'VARCHAR[]' : 'VARCHAR';
  if (logical === 'timestamp') return 'TIMESTAMP WITH TIME ZONE';
  return logical === 'unsigned' ? 'UBIGINT' : 'BIGINT';
}
