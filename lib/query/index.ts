/** `tracewright/query`: SQL about traces and folders of Parquet files. */
import { basename } from 'node:path';
import { writeTraceTables } from '../export/parquet/trace-tables.ts';
import type { OpenTraceOptions } from '../trace/open-trace.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';
import { openTraces } from '../view/merge/merged-trace.ts';
import { Database, isTableFolder } from './database.ts';
import type { QueryResult, QueryRow } from './query-result.ts';

export type { QueryColumn, QueryResult, QueryRow, QueryValue } from './query-result.ts';

export interface OpenDatabaseOptions extends OpenTraceOptions, FrameFolders {}

/** Traces in SQL. Its tables, views and macros are those of `tracewright query`. */
export interface TraceDatabase {
  /**
   * The rows of the last statement.
   *
   * @throws Error DuckDB's, in words
   */
  query(sql: string): Promise<QueryRow[]>;
  /**
   * Runs one statement after another. The rows of each must be read before the next.
   *
   * @throws Error DuckDB's, in words
   */
  statements(sql: string): AsyncGenerator<QueryResult, void, undefined>;
  /** Ends the running statement, with an error. */
  interrupt(): void;
  /** Closes the database and removes the temporary files. */
  close(): void;
  [Symbol.dispose](): void;
}

/**
 * Opens traces for SQL, with DuckDB: the package `@duckdb/node-api` must be installed. Traces become Parquet files in a
 * temporary folder, so that their size is not limited by memory; `close` removes it, or the end of the process.
 *
 * @param traces paths of traces of any format, which are read as one; folders that `tracewright export --parquet` wrote;
 * and URLs of such folders
 * @throws Error if DuckDB is not installed, or a folder has no tables
 * @throws TraceError if a trace cannot be read or, unless `onDamage` is `warning`, is damaged
 */
export async function openDatabase(
  traces: string | readonly string[],
  options: OpenDatabaseOptions = {},
): Promise<TraceDatabase> {
  const all = typeof traces === 'string' ? [traces] : traces;
  const files = all.filter((path) => !isTableFolder(path));
  const write = (folder: string) => writeFiles(files, folder, options);
  return Database.open(all.filter(isTableFolder), files.length > 0 ? write : undefined);
}

async function writeFiles(
  files: readonly string[],
  folder: string,
  options: OpenDatabaseOptions,
): Promise<void> {
  const trace = await openTraces(files, options);
  try {
    const name = files.map((file) => basename(file)).join(', ');
    const { problem } = await writeTraceTables(trace, trace.batches(), { ...options, name, folder });
    if (problem !== undefined) throw problem;
  } finally {
    await trace.close();
  }
}
