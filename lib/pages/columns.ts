/** Splits a report's bytes into its columns. */
import { COLUMN_NAMES, type ColumnName, type ReportHeader } from '../view/report/report-header.ts';

export type Columns = Readonly<Record<ColumnName, Uint8Array>>;

export function columnsOf({ columnSizes }: ReportHeader, bytes: Uint8Array): Columns {
  let at = 0;
  const columns: Partial<Record<ColumnName, Uint8Array>> = {};
  for (const name of COLUMN_NAMES) {
    columns[name] = bytes.subarray(at, at + columnSizes[name]);
    at += columnSizes[name];
  }
  return columns as Columns;
}
