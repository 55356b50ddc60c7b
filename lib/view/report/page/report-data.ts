/** A report's content, taken out of its columns: what every part of the page shows. */
import type { ReportHeader } from '../report-header.ts';
import { ActivityTable } from './activity-table.ts';
import { columnsOf } from './columns.ts';
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
