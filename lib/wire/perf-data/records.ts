/**
 * The kinds of records in a perf.data. Source: Linux `perf_event.h` and
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import type { RecordIds } from './record-ids.ts';
import type { SampleRecord } from './sample.ts';

interface RecordHead {
  /** The position of the record in the file; for a compressed one, that of the record that contains it. */
  readonly offset: number;
}

/** A thread has been named. */
export interface CommRecord extends RecordHead {
  readonly kind: 'comm';
  readonly pid: number;
  readonly tid: number;
  readonly comm: string;
  readonly ids: RecordIds;
}

/** A file has been mapped into memory for execution. */
export interface MmapRecord extends RecordHead {
  readonly kind: 'mmap';
  readonly pid: number;
  readonly tid: number;
  readonly start: bigint;
  readonly length: bigint;
  /** Where in the file the mapping starts, in bytes. */
  readonly fileOffset: bigint;
  readonly filename: string;
  /** The build id in hex, if known. */
  readonly buildId: string | undefined;
  readonly ids: RecordIds;
}

/** A thread has started or ended. */
export interface ThreadRecord extends RecordHead {
  readonly kind: 'fork' | 'exit';
  readonly pid: number;
  readonly parentPid: number;
  readonly tid: number;
  readonly parentTid: number;
  readonly timeNs: bigint;
  readonly ids: RecordIds;
}

/** Records or samples did not fit into the buffer. */
interface LostRecord extends RecordHead {
  /** `lost`: reported by the ring buffer as it goes. `lostSamples`: by the event's counter, often at the end. */
  readonly kind: 'lost' | 'lostSamples';
  readonly count: bigint;
  readonly ids: RecordIds;
}

/** Nothing that follows is earlier than what preceded the previous record of this kind. */
interface FinishedRoundRecord extends RecordHead {
  readonly kind: 'finishedRound';
}

/** Records that perf has compressed, to be decompressed in order: they form one Zstandard stream. */
export interface CompressedRecord extends RecordHead {
  readonly kind: 'compressed';
  readonly data: Uint8Array;
}

/** A record that describes the session, and has been added to it. */
interface HeaderRecord extends RecordHead {
  readonly kind: 'header';
}

/** A record of an unsupported type. */
interface OtherRecord extends RecordHead {
  readonly kind: 'other';
  /** Linux's number of it. */
  readonly type: number;
  readonly misc: number;
  /** The body follows the header, and is a view of the file's own bytes. */
  readonly body: Uint8Array;
  readonly ids: RecordIds;
}

export type PerfRecord =
  | SampleRecord
  | CommRecord
  | MmapRecord
  | ThreadRecord
  | LostRecord
  | FinishedRoundRecord
  | CompressedRecord
  | HeaderRecord
  | OtherRecord;

/** The record's time in nanoseconds on the recording's clock, if it has one. */
export function timeOf(record: PerfRecord): bigint | undefined {
  if ('timeNs' in record) return record.timeNs;
  return 'ids' in record ? record.ids.timeNs : undefined;
}
