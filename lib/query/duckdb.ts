/** DuckDB, an optional peer: loaded when the first database is opened. Only what is used of it has types here. */
import { systemCodeOf } from '../base/system-code.ts';

export interface DuckDbResult {
  columnNames(): string[];
  columnTypes(): readonly { toString(): string }[];
  /** 3 for rows that were asked for; others count what a statement has changed. */
  readonly returnType: number;
  yieldRows(): AsyncIterable<readonly (readonly unknown[])[]>;
}

export interface DuckDbStatements {
  readonly count: number;
  prepare(index: number): Promise<{ stream(): Promise<DuckDbResult>; destroySync(): void }>;
}

export interface DuckDbConnection {
  run(sql: string): Promise<unknown>;
  stream(sql: string): Promise<DuckDbResult>;
  extractStatements(sql: string): Promise<DuckDbStatements>;
  interrupt(): void;
  closeSync(): void;
}

interface DuckDb {
  readonly DuckDBInstance: {
    create(
      path: string,
      options: Readonly<Record<string, string>>,
    ): Promise<{ connect(): Promise<DuckDbConnection>; closeSync(): void }>;
  };
}

/** In a variable, so that bundlers of applications leave it to be found at run time. */
const PEER = '@duckdb/node-api';
const MISSING = new Set(['ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND']);

/** @throws Error a sentence that says how to install it */
export async function loadDuckDb(): Promise<DuckDb> {
  try {
    return (await import(PEER)) as DuckDb;
  } catch (error) {
    const isMissing = MISSING.has(systemCodeOf(error) ?? '');
    throw new Error(
      isMissing
        ? `SQL needs DuckDB, which is not installed: run "npm install ${PEER}" where tracewright is installed.`
        : `DuckDB cannot be loaded: ${(error as Error).message}`,
      { cause: error },
    );
  }
}
