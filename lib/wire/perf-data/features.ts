/**
 * The features of a perf.data, which tell of the recording: in a file sections behind the data, in a pipe
 * records of their own, with the same content.
 * Source: Linux `tools/perf/Documentation/perf.data-file-format.txt`.
 */
import { Feature } from './constants.ts';
import type { Cursor } from './cursor.ts';
import type { PerfSession } from './session.ts';
import { readTracingData } from './tracing-data.ts';

type ReadFeature = (cursor: Cursor, session: PerfSession) => void;

/** Those that are read; by bit. */
const READERS: ReadonlyMap<number, ReadFeature> = new Map<number, ReadFeature>([
  [Feature.TracingData, readTracingData],
  [Feature.Hostname, asText('HOSTNAME')],
  [Feature.OsRelease, asText('OSRELEASE')],
  [Feature.Version, asText('VERSION')],
  [Feature.Arch, asText('ARCH')],
  [Feature.ProcessorCount, readProcessorCount],
  [Feature.CpuDescription, asText('CPUDESC')],
  [Feature.CpuId, asText('CPUID')],
  [Feature.TotalMemory, readTotalMemory],
  [Feature.CommandLine, readCommandLine],
  [Feature.EventDescriptions, readEventDescriptions],
  [Feature.SampleTime, readSampleTime],
  [Feature.ClockData, readClockData],
]);

export function isFeatureRead(feature: number): boolean {
  return READERS.has(feature);
}

/** Takes over what the feature tells; nothing if it is not read here. */
export function readFeature(feature: number, cursor: Cursor, session: PerfSession): void {
  READERS.get(feature)?.(cursor, session);
}

/** Layout: size u32, text with NULs up to the size. */
function readText(cursor: Cursor): string {
  return cursor.paddedText(cursor.uint32());
}

function asText(property: string): ReadFeature {
  return (cursor, session) => {
    session.properties[property] = readText(cursor);
  };
}

/** Layout: processors there u32, processors online u32. */
function readProcessorCount(cursor: Cursor, session: PerfSession): void {
  cursor.skip(4);
  session.processors = cursor.uint32();
}

function readTotalMemory(cursor: Cursor, session: PerfSession): void {
  session.properties.TOTAL_MEM = `${cursor.uint64()} kB`;
}

/** Layout: arguments u32, then each as a text. */
function readCommandLine(cursor: Cursor, session: PerfSession): void {
  const words: string[] = [];
  for (let left = cursor.uint32(); left > 0; left--) words.push(readText(cursor));
  session.properties.CMDLINE = words.join(' ');
}

/** Layout: count u32, attribute size u32; of each: attribute, ids u32, name, ids. */
function readEventDescriptions(cursor: Cursor, session: PerfSession): void {
  const count = cursor.uint32();
  const attrSize = cursor.uint32();
  for (let i = 0; i < count; i++) {
    cursor.skip(attrSize);
    const idCount = cursor.uint32();
    const name = readText(cursor);
    for (let j = 0; j < idCount; j++) session.addName(cursor.uint64(), name);
  }
}

/** Layout: times of the first and the last sample, u64 each; 0 where perf did not look. */
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
