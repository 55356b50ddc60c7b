/** The answer of a statement, as values of JavaScript. */
import type { DuckDbResult } from './duckdb.ts';

/**
 * Whole numbers are numbers, or bigints if they need more than 53 bits. Dates and times are text with all their digits, as
 * are decimals with more than 15; lists are arrays, structs and maps objects.
 */
export type QueryValue =
  | null
  | boolean
  | number
  | bigint
  | string
  | readonly QueryValue[]
  | { readonly [name: string]: QueryValue };

/** A row with names. */
export type QueryRow = { readonly [column: string]: QueryValue };

export interface QueryColumn {
  readonly name: string;
  /** DuckDB's: `VARCHAR`, `TIMESTAMP_NS`. */
  readonly type: string;
  readonly isNumber: boolean;
}

/** What one statement answers. */
export interface QueryResult {
  readonly columns: readonly QueryColumn[];
  /** Read once, as they are computed. */
  readonly rows: AsyncIterable<readonly QueryValue[]>;
}

const NUMBERS = /^(?:U?(?:TINY|SMALL|BIG|HUGE)?INT(?:EGER)?|FLOAT|DOUBLE|DECIMAL\(.*\))$/;

export function queryResult(result: DuckDbResult): QueryResult {
  const types = result.columnTypes().map(String);
  const columns = result.columnNames().map((name, index): QueryColumn => {
    const type = types[index] ?? '';
    return { name, type, isNumber: NUMBERS.test(type) };
  });
  return { columns, rows: rowsOf(result) };
}

async function* rowsOf(result: DuckDbResult): AsyncGenerator<readonly QueryValue[], void, undefined> {
  for await (const rows of result.yieldRows()) {
    for (const row of rows) yield row.map(jsValue);
  }
}

/** Converts a value of DuckDB: its own classes have items (lists), entries (structs and maps), or only a text. */
function jsValue(value: unknown): QueryValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'bigint') return numberIfSafe(value);
  if (typeof value !== 'object') return value as QueryValue;
  const { items, entries, scale } = value as Partial<Record<'items' | 'entries' | 'scale', unknown>>;
  if (typeof scale === 'number') return decimal(String(value));
  if (Array.isArray(items)) return items.map(jsValue);
  if (Array.isArray(entries)) {
    return Object.fromEntries(entries.map((entry) => [String(entry.key), jsValue(entry.value)]));
  }
  if (typeof entries === 'object' && entries !== null) {
    return Object.fromEntries(Object.entries(entries).map(([name, member]) => [name, jsValue(member)]));
  }
  return String(value);
}

/** Returns a number if that has all the decimal's digits. */
function decimal(text: string): number | string {
  return text.replace(/\D/g, '').length <= 15 ? Number(text) : text;
}

function numberIfSafe(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}
