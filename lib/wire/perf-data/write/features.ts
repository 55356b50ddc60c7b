/**
 * What a perf.data file says about a recording besides its records: the feature sections. Source: Linux
 * `tools/perf/Documentation/perf.data-file-format.txt` and `tools/perf/util/header.c`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { Feature } from '../constants.ts';
import { ATTR_SIZE, CLOCK_ID } from './attr.ts';

const CLOCK_ID_FEATURE = 23;
const CLOCK_DATA_VERSION = 1;
const CLOCK_RESOLUTION_NS = 1;
/** perf rounds the size of texts up to it. */
const TEXT_ALIGNMENT = 64;

export interface RecordedEvent {
  /** The event's name with its system, such as `user_events:MyProvider_L4K1`. */
  readonly name: string;
  readonly attr: Uint8Array;
  /** One per processor. */
  readonly ids: readonly bigint[];
}

export interface RecordingFacts {
  readonly tracingData: Uint8Array;
  readonly hostname: string;
  readonly osRelease: string;
  /** The version of the program that recorded. */
  readonly version: string;
  /** The architecture as `uname -m` says it. */
  readonly arch: string;
  readonly cpus: { readonly available: number; readonly online: number };
  /** The command line of the recorder. */
  readonly commandLine: readonly string[];
  readonly events: readonly RecordedEvent[];
  /** Times of the first and last sample; 0 if there were none. */
  readonly sampleTime: { readonly first: bigint; readonly last: bigint };
  /** Both clocks show the same moment, in nanoseconds. */
  readonly clock: { readonly wall: bigint; readonly monotonic: bigint };
}

/** What is known when a recording starts. */
export type StartFacts = Omit<RecordingFacts, 'tracingData' | 'events' | 'sampleTime'>;

export interface FeatureSection {
  readonly bit: number;
  readonly bytes: Uint8Array;
}

/** The features' sections in the order of their bits, as in the file. */
export function featureSections(facts: RecordingFacts): readonly FeatureSection[] {
  const { sampleTime } = facts;
  return [
    { bit: Feature.TracingData, bytes: facts.tracingData },
    { bit: Feature.EventDescriptions, bytes: eventDescriptions(facts.events) },
    {
      bit: Feature.SampleTime,
      bytes: new ByteWriter().uint64(sampleTime.first).uint64(sampleTime.last).current(),
    },
    ...startSections(facts),
  ].sort((a, b) => a.bit - b.bit);
}

export function startSections(facts: StartFacts): readonly FeatureSection[] {
  const { cpus, clock } = facts;
  return [
    { bit: Feature.Hostname, bytes: texts([facts.hostname]) },
    { bit: Feature.OsRelease, bytes: texts([facts.osRelease]) },
    { bit: Feature.Version, bytes: texts([facts.version]) },
    { bit: Feature.Arch, bytes: texts([facts.arch]) },
    {
      bit: Feature.ProcessorCount,
      bytes: new ByteWriter().uint32(cpus.available).uint32(cpus.online).current(),
    },
    { bit: Feature.CommandLine, bytes: commandLine(facts.commandLine) },
    { bit: CLOCK_ID_FEATURE, bytes: new ByteWriter().uint64(CLOCK_RESOLUTION_NS).current() },
    { bit: Feature.ClockData, bytes: clockData(clock) },
  ];
}

export function clockData({ wall, monotonic }: RecordingFacts['clock']): Uint8Array {
  return new ByteWriter()
    .uint32(CLOCK_DATA_VERSION)
    .uint32(CLOCK_ID)
    .uint64(wall)
    .uint64(monotonic)
    .current();
}

function texts(values: readonly string[]): Uint8Array {
  const writer = new ByteWriter();
  for (const value of values) text(writer, value);
  return writer.current();
}

/** A size and that many bytes: the text, a NUL, zeros. */
function text(writer: ByteWriter, value: string): void {
  const padded = new ByteWriter().terminatedUtf8(value).pad(TEXT_ALIGNMENT);
  writer.uint32(padded.length).bytes(padded.current());
}

function commandLine(words: readonly string[]): Uint8Array {
  return new ByteWriter().uint32(words.length).bytes(texts(words)).current();
}

function eventDescriptions(events: readonly RecordedEvent[]): Uint8Array {
  const writer = new ByteWriter().uint32(events.length).uint32(ATTR_SIZE);
  for (const { name, attr, ids } of events) {
    writer.bytes(attr).uint32(ids.length);
    text(writer, name);
    for (const id of ids) writer.uint64(id);
  }
  return writer.current();
}
