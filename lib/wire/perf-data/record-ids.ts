/** The ids at the end of records other than samples. Source: Linux `perf_event.h`, `struct sample_id`. */
import type { PerfAttr } from './attr.ts';
import { SampleType } from './constants.ts';
import type { Cursor } from './cursor.ts';

/** What both samples and other records may say about themselves. */
export interface RecordIds {
  pid?: number;
  tid?: number;
  /** Nanoseconds on the recording's clock. */
  timeNs?: bigint;
  /** The id of the attribute: see `PerfAttr.ids`. */
  id?: bigint;
  streamId?: bigint;
  cpu?: number;
}

/** Each of the bits that `readIds` reads takes 8 bytes. */
const ID_BITS = [
  SampleType.Tid,
  SampleType.Time,
  SampleType.Id,
  SampleType.StreamId,
  SampleType.Cpu,
  SampleType.Identifier,
];

/** How many bytes the ids at the end of a record take. */
export function idsSize(attr: PerfAttr): number {
  return attr.sampleIdAll ? 8 * ID_BITS.filter((bit) => (attr.sampleType & bit) !== 0n).length : 0;
}

/** Reads the ids at the end of a record that is not a sample. */
export function readIds(cursor: Cursor, attr: PerfAttr): RecordIds {
  const has = (bit: bigint) => (attr.sampleType & bit) !== 0n;
  const ids: RecordIds = {};
  if (has(SampleType.Tid)) readTid(cursor, ids);
  if (has(SampleType.Time)) ids.timeNs = cursor.uint64();
  if (has(SampleType.Id)) ids.id = cursor.uint64();
  if (has(SampleType.StreamId)) ids.streamId = cursor.uint64();
  if (has(SampleType.Cpu)) ids.cpu = readCpu(cursor);
  if (has(SampleType.Identifier)) ids.id = cursor.uint64();
  return ids;
}

/**
 * The position of the attribute's id, in bytes from the end of the record, or `undefined` if there is none. It is the
 * same for all attributes of a file, so that a record's attribute can be found before its ids are known.
 */
export function idOffsetFromEnd(sampleType: bigint): number | undefined {
  if ((sampleType & SampleType.Identifier) !== 0n) return 8;
  if ((sampleType & SampleType.Id) === 0n) return undefined;
  const from = [SampleType.Id, SampleType.StreamId, SampleType.Cpu];
  return 8 * from.filter((bit) => (sampleType & bit) !== 0n).length;
}

function readTid(cursor: Cursor, ids: RecordIds): void {
  ids.pid = cursor.uint32();
  ids.tid = cursor.uint32();
}

function readCpu(cursor: Cursor): number {
  const cpu = cursor.uint32();
  cursor.skip(4); // reserved
  return cpu;
}
