/**
 * Samples, and the ids that other records end with. Which fields there are, the attribute's `sample_type`
 * says; their order is fixed. Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 */
import type { PerfAttr } from './attr.ts';
import { ReadFormat, SampleType } from './constants.ts';
import type { Cursor } from './cursor.ts';

/** What both samples and other records may tell of themselves. */
export interface RecordIds {
  pid?: number;
  tid?: number;
  /** Nanoseconds of the clock that was recorded with. */
  timeNs?: bigint;
  /** Of the attribute: see `PerfAttr.ids`. */
  id?: bigint;
  streamId?: bigint;
  cpu?: number;
}

/** The parts of a sample up to its raw data; what may stand behind (stacks, registers) is not read. */
export interface SampleFields extends RecordIds {
  ip?: bigint;
  addr?: bigint;
  period?: bigint;
  /** Counters of the sample's group, or its own alone. */
  counters?: readonly PerfCounter[];
  callchain?: readonly bigint[];
  /** A tracepoint's data, from its common fields on; a view of the file's own bytes. */
  raw?: Uint8Array;
}

export interface PerfCounter {
  readonly value: bigint;
  readonly id?: bigint;
}

/** Reads a sample's body into `sample`. */
export function readSample(cursor: Cursor, attr: PerfAttr, sample: SampleFields): void {
  const has = (bit: bigint) => (attr.sampleType & bit) !== 0n;
  if (has(SampleType.Identifier)) sample.id = cursor.uint64();
  if (has(SampleType.Ip)) sample.ip = cursor.uint64();
  if (has(SampleType.Tid)) readTid(cursor, sample);
  if (has(SampleType.Time)) sample.timeNs = cursor.uint64();
  if (has(SampleType.Addr)) sample.addr = cursor.uint64();
  if (has(SampleType.Id)) sample.id = cursor.uint64();
  if (has(SampleType.StreamId)) sample.streamId = cursor.uint64();
  if (has(SampleType.Cpu)) sample.cpu = readCpu(cursor);
  if (has(SampleType.Period)) sample.period = cursor.uint64();
  if (has(SampleType.Read)) sample.counters = readCounters(cursor, attr.readFormat);
  if (has(SampleType.Callchain)) sample.callchain = readUint64List(cursor);
  if (has(SampleType.Raw)) sample.raw = cursor.take(cursor.uint32());
}

/** Of the bits that `readIds` reads, each takes 8 bytes. */
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
 * Where the id stands in a sample's body, in bytes, or `undefined` if samples have none. It is the same
 * for all attributes of a file, so that a sample's attribute can be found before its fields are known.
 */
export function idOffsetInSample(sampleType: bigint): number | undefined {
  if ((sampleType & SampleType.Identifier) !== 0n) return 0;
  if ((sampleType & SampleType.Id) === 0n) return undefined;
  const before = [SampleType.Ip, SampleType.Tid, SampleType.Time, SampleType.Addr];
  return 8 * before.filter((bit) => (sampleType & bit) !== 0n).length;
}

/** The same from the end of the ids of other records. */
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

function readCounters(cursor: Cursor, format: bigint): PerfCounter[] {
  const has = (bit: bigint) => (format & bit) !== 0n;
  const readCounter = (): PerfCounter => {
    const value = cursor.uint64();
    const counter = has(ReadFormat.Id) ? { value, id: cursor.uint64() } : { value };
    if (has(ReadFormat.Lost)) cursor.skip(8);
    return counter;
  };
  const skipTimes = () => {
    if (has(ReadFormat.TotalTimeEnabled)) cursor.skip(8);
    if (has(ReadFormat.TotalTimeRunning)) cursor.skip(8);
  };
  if (has(ReadFormat.Group)) {
    const count = cursor.size64();
    skipTimes();
    const counters: PerfCounter[] = [];
    for (let i = 0; i < count; i++) counters.push(readCounter());
    return counters;
  }
  // A single counter: its times stand between its value and its id.
  const value = cursor.uint64();
  skipTimes();
  const counter = has(ReadFormat.Id) ? { value, id: cursor.uint64() } : { value };
  if (has(ReadFormat.Lost)) cursor.skip(8);
  return [counter];
}

function readUint64List(cursor: Cursor): bigint[] {
  const count = cursor.size64();
  const values: bigint[] = [];
  for (let i = 0; i < count; i++) values.push(cursor.uint64());
  return values;
}
