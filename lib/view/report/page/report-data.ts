/** A report's content, taken out of its columns: what every part of the page shows. */
import { ACTIVITY_STATES, COLUMN_NAMES, type ColumnName, type ReportHeader } from '../report-header.ts';
import { ActivityTable } from './activity-table.ts';
import { EventTable } from './event-table.ts';

export interface ReportData {
  readonly header: ReportHeader;
  readonly events: EventTable;
  readonly activities: ActivityTable;
}

const HEADER_SIZE_BYTES = 4;

/** @param bytes as report-html.ts has written them, decompressed */
export function reportData(bytes: Uint8Array): ReportData {
  const headerSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const columnsStart = HEADER_SIZE_BYTES + headerSize;
  const header = JSON.parse(
    new TextDecoder().decode(bytes.subarray(HEADER_SIZE_BYTES, columnsStart)),
  ) as ReportHeader;
  const columns = columnsOf(header, bytes.subarray(columnsStart));
  const events = new EventTable(header, columns);
  return { header, events, activities: new ActivityTable(header, columns, events) };
}

export type Columns = Readonly<Record<ColumnName, Uint8Array>>;

function columnsOf({ columnSizes }: ReportHeader, bytes: Uint8Array): Columns {
  let at = 0;
  const columns: Partial<Record<ColumnName, Uint8Array>> = {};
  for (const name of COLUMN_NAMES) {
    columns[name] = bytes.subarray(at, at + columnSizes[name]);
    at += columnSizes[name];
  }
  return columns as Columns;
}

export type StateName = (typeof ACTIVITY_STATES)[number];

export function stateName(index: number): StateName {
  return ACTIVITY_STATES[index] as StateName;
}
