/**
 * The kinds of records of a perf.data. Source: Linux `perf_event.h` and
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import type { RecordIds } from './record-ids.ts';
import type { SampleRecord } from './sample.ts';

interface RecordHead {
  /** Where the record stands in the file; one that has been compressed, where the record that holds it does. */
  readonly offset: number;
}

/** A thread has got a name. */
export interface CommRecord extends RecordHead {
  readonly kind: 'comm';
  readonly pid: number;
  readonly tid: number;
  readonly comm: string;
  readonly ids: RecordIds;
}

/** A file has been mapped into memory to be executed. */
export interface MmapRecord extends RecordHead {
  readonly kind: 'mmap';
  readonly pid: number;
  readonly tid: number;
  readonly start: bigint;
  readonly length: bigint;
  /** Where in the file the mapping starts, in bytes. */
  readonly fileOffset: bigint;
  readonly filename: string;
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
export interface LostRecord extends RecordHead {
  /** `lost`: told by the ring buffer as it goes. `lostSamples`: by the event's counter, often at the end. */
  readonly kind: 'lost' | 'lostSamples';
  readonly count: bigint;
  readonly ids: RecordIds;
}

/** What follows comes no earlier than all that stood before the previous record of this kind. */
export interface FinishedRoundRecord extends RecordHead {
  readonly kind: 'finishedRound';
}

/** Records that perf has compressed, to be unpacked in order: one stream of Zstandard runs through all. */
export interface CompressedRecord extends RecordHead {
  readonly kind: 'compressed';
  readonly data: Uint8Array;
}

/** A record that tells something of the session, which has taken it over. */
export interface HeaderRecord extends RecordHead {
  readonly kind: 'header';
}

/** A record of a type that is not read here. */
export interface OtherRecord extends RecordHead {
  readonly kind: 'other';
  /** Linux's number of it. */
  readonly type: number;
  readonly misc: number;
  /** Behind the head; a view of the file's own bytes. */
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

/** The record's time in nanoseconds of the recording's clock, if it has one. */
export function timeOf(record: PerfRecord): bigint | undefined {
  if ('timeNs' in record) return record.timeNs;
  return 'ids' in record ? record.ids.timeNs : undefined;
}
