/** What all parts of a perf.data file's reader share. */
import type { PerfAttr } from './attr.ts';
import type { TracepointFormat } from './tracepoint-format.ts';

/** A part of the file, in bytes. */
export interface Section {
  readonly start: number;
  readonly end: number;
}

/** What all records of a file are read by. */
export interface PerfSession {
  readonly littleEndian: boolean;
  readonly attrs: readonly PerfAttr[];
  /** Formats of the recorded tracepoints, by tracepoint id. */
  readonly tracepoints: ReadonlyMap<number, TracepointFormat>;
}
