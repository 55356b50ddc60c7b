/**
 * The features of a perf.data, which describe the recording: in a file, sections after the data; in a pipe, records
 * with the same content. Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { hexText } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { Feature } from './constants.ts';
import type { Cursor } from './cursor.ts';
import type { PerfSession } from './session.ts';
import { readTracingData } from './tracing-data.ts';

type ReadFeature = (cursor: Cursor, session: PerfSession) => void;

interface FeatureReader {
  /** perf's name for the feature. */
  readonly name: string;
  readonly read: ReadFeature;
}

/** The supported ones, by bit. */
const READERS: ReadonlyMap<number, FeatureReader> = new Map<number, FeatureReader>([
  [Feature.TracingData, { name: 'TRACING_DATA', read: readTracingData }],
  [Feature.BuildId, { name: 'BUILD_ID', read: readBuildIds }],
  [Feature.Hostname, asText('HOSTNAME')],
  [Feature.OsRelease, asText('OSRELEASE')],
  [Feature.Version, asText('VERSION')],
  [Feature.Arch, asText('ARCH')],
  [Feature.ProcessorCount, { name: 'NRCPUS', read: readProcessorCount }],
  [Feature.CpuDescription, asText('CPUDESC')],
  [Feature.CpuId, asText('CPUID')],
  [Feature.TotalMemory, { name: 'TOTAL_MEM', read: readTotalMemory }],
  [Feature.CommandLine, { name: 'CMDLINE', read: readCommandLine }],
  [Feature.EventDescriptions, { name: 'EVENT_DESC', read: readEventDescriptions }],
  [Feature.SampleTime, { name: 'SAMPLE_TIME', read: readSampleTime }],
  [Feature.ClockData, { name: 'CLOCK_DATA', read: readClockData }],
]);

export function isFeatureRead(feature: number): boolean {
  return READERS.has(feature);
}

/**
 * Adds the content of the feature to the session, if it is supported. Records can be read without any feature, and perf
 * itself leaves a section empty if it could not fill it: so a fault in one becomes a problem of the session, and what
 * precedes the damage counts.
 */
export function readFeature(feature: number, cursor: Cursor, session: PerfSession): void {
  const reader = READERS.get(feature);
  if (reader === undefined) return;
  if (cursor.left === 0) {
    session.problems.push(`The feature ${reader.name} is empty.`);
    return;
  }
  try {
    reader.read(cursor, session);
  } catch (error) {
    if (!(error instanceof TraceError)) throw error;
    noteUnread(feature, error, session);
  }
}

/** The feature, or the rest of it, is missing. */
export function noteUnread(feature: number, error: TraceError, session: PerfSession): void {
  const name = READERS.get(feature)?.name ?? feature;
  session.problems.push(`The feature ${name} cannot be read: ${error.message}`);
}

/** Layout: size u32, text padded with NULs to that size. */
function readText(cursor: Cursor): string {
  return cursor.paddedText(cursor.uint32());
}

function asText(property: string): FeatureReader {
  const read: ReadFeature = (cursor, session) => {
    session.properties[property] = readText(cursor);
  };
  return { name: property, read };
}

/** A build id without its file name takes this many bytes. */
const BUILD_ID_SIZE = 36;

/** Layout of each: type u32, misc u16, size u16, process i32, build id 20 bytes, its size u8, 3 bytes, file name. */
function readBuildIds(cursor: Cursor, session: PerfSession): void {
  while (cursor.left > 0) {
    cursor.skip(6);
    const size = cursor.uint16();
    if (size < BUILD_ID_SIZE) cursor.fail(`A build id cannot have ${size} bytes.`);
    cursor.skip(4);
    const id = cursor.take(20);
    const idSize = Math.min(cursor.take(4)[0] || 20, 20);
    const name = cursor.paddedText(size - BUILD_ID_SIZE);
    session.buildIds.set(name, hexText(id.subarray(0, idSize)));
  }
}

/** Layout: available processors u32, online processors u32. */
function readProcessorCount(cursor: Cursor, session: PerfSession): void {
  cursor.skip(4);
  session.processors = cursor.uint32();
}

function readTotalMemory(cursor: Cursor, session: PerfSession): void {
  session.properties.TOTAL_MEM = `${cursor.uint64()} kB`;
}

/** Layout: number of arguments u32, then each as text. */
function readCommandLine(cursor: Cursor, session: PerfSession): void {
  const words: string[] = [];
  for (let left = cursor.uint32(); left > 0; left--) words.push(readText(cursor));
  session.properties.CMDLINE = words.join(' ');
}

/** Layout: count u32, attribute size u32; of each: attribute, ids u32, name, ids. */
function readEventDescriptions(cursor: Cursor, session: PerfSession): void {
  const count = cursor.uint32();
  const attrSize = cursor.uint32();
  const names: string[] = [];
  session.addNames(names);
  for (let i = 0; i < count; i++) {
    cursor.skip(attrSize);
    const idCount = cursor.uint32();
    const name = readText(cursor);
    names.push(name);
    for (let j = 0; j < idCount; j++) session.addName(cursor.uint64(), name);
  }
}

/** Layout: times of the first and the last sample, u64 each; 0 if perf did not record them. */
function readSampleTime(cursor: Cursor, session: PerfSession): void {
  const first = cursor.uint64();
  const last = cursor.uint64();
  if (first !== 0n) session.sampleTime = { first, last };
}

/** Layout: version u32, clock id u32, wall clock ns u64, that clock's ns at the same moment u64. */
function readClockData(cursor: Cursor, session: PerfSession): void {
  cursor.skip(8);
  session.clock = { wallNs: cursor.uint64(), clockNs: cursor.uint64() };
}
