/** DuckDB, an optional peer: loaded when the first database is opened. Only what is used of it has types here. */
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { binaryFolders } from '../base/package-files.ts';
import { systemCodeOf } from '../base/system-code.ts';
import { thrownMessage } from '../base/value-text.ts';

export interface DuckDbResult {
  columnNames(): string[];
  columnTypes(): readonly { toString(): string }[];
  /** 3 for rows that were asked for; others count what a statement has changed. */
  readonly returnType: number;
  yieldRows(): AsyncIterable<readonly (readonly unknown[])[]>;
}

interface DuckDbStatements {
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

const PEER = '@duckdb/node-api';

/**
 * Found at run time, also by what bundlers make of an application: with `import()` they would look for it themselves.
 *
 * @throws Error a sentence that says how to install it
 */
export function loadDuckDb(): DuckDb {
  let missing: unknown;
  for (const folder of binaryFolders()) {
    try {
      return createRequire(join(folder, 'package.json'))(PEER) as DuckDb;
    } catch (error) {
      // Anything else is a part of it that is missing or broken.
      const isMissing =
        systemCodeOf(error) === 'MODULE_NOT_FOUND' && thrownMessage(error).includes(`'${PEER}'`);
      if (!isMissing) {
        throw new Error(`DuckDB cannot be loaded: ${thrownMessage(error)}`, { cause: error });
      }
      missing = error;
    }
  }
  throw new Error(
    `SQL needs DuckDB, which is not installed: run "npm install ${PEER}" where tracewright is installed.`,
    { cause: missing },
  );
}
