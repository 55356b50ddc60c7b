/** A report's content, decoded from its columns: what every view of the page shows. */
import type { ReportHeader } from '../view/report/report-header.ts';
import { ActivityTable } from './activity-table.ts';
import { CallTree } from './call-tree.ts';
import { columnsOf } from './columns.ts';
import { EventTable } from './event-table.ts';
import { type Track, tracksOf } from './tracks.ts';

export interface ReportData {
  readonly header: ReportHeader;
  readonly events: EventTable;
  readonly activities: ActivityTable;
  readonly calls: CallTree;
  readonly tracks: readonly Track[];
  /** Whether any event is a CPU sample with a stack. */
  readonly hasSamples: boolean;
}

const HEADER_SIZE_BYTES = 4;

/** @param bytes written by report-html.ts, decompressed */
export function reportData(bytes: Uint8Array): ReportData {
  const headerSize = new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const columnsStart = HEADER_SIZE_BYTES + headerSize;
  const header = JSON.parse(
    new TextDecoder().decode(bytes.subarray(HEADER_SIZE_BYTES, columnsStart)),
  ) as ReportHeader;
  const columns = columnsOf(header, bytes.subarray(columnsStart));
  const events = new EventTable(header, columns);
  const activities = new ActivityTable(header, columns, events);
  const hasSamples = events.kind.some((_, event) => events.isSample(event));
  return {
    header,
    events,
    activities,
    calls: new CallTree(header, columns),
    tracks: tracksOf(header, columns),
    hasSamples,
  };
}
