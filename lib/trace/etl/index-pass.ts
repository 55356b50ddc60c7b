/**
 * The first pass over an .etl, or over the files of one recording, before the events are delivered: finds when each
 * buffer starts and what describes the events, which may come after them.
 */

import type { EtlBuffer } from '../../wire/etl/buffer.ts';
import type { EtlClock } from '../../wire/etl/clock.ts';
import { BUFFER_HEADER_SIZE, LogFileMode } from '../../wire/etl/constants.ts';
import { extendedItemsOf } from '../../wire/etl/extended-items.ts';
import { isLogFileHeader, type LogFileHeader, readLogFileHeader } from '../../wire/etl/log-file-header.ts';
import { guidAt, headerEndOf, idNumberOf, opcodeOf, providerGuidOffset } from '../../wire/etl/record.ts';
import { type RawTime, RecordCursor } from '../../wire/etl/record-cursor.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { MANIFEST_EVENT_ID } from '../../wire/manifest/constants.ts';
import { TraceError } from '../../wire/trace-error.ts';
import type { SeekableBytes } from '../byte-source.ts';
import { KeptBuffers, readBuffers } from './buffer-file.ts';
import type { EventDescriptions } from './descriptions.ts';
import type { KernelState } from './kernel-state.ts';
import type { StackDefinitions } from './stack-definitions.ts';
import type { IndexedBuffer } from './time-merge.ts';

/** KernelTraceControl's class, under which it adds descriptions when it merges traces. */
const METADATA_GUID = 'bbccf6c1-6cd1-48c4-80ff-839482e37671';
const METADATA_FIRST_WORD = 0xbbccf6c1;
const EVENT_INFO = 32;
const EVENT_MAP_INFO = 33;

/** Receives what the pass finds. */
interface Learned {
  readonly descriptions: EventDescriptions;
  readonly kernel: KernelState;
  readonly stacks: StackDefinitions;
}

/** One file of a recording. */
export interface EtlFile {
  readonly name: string;
  readonly bytes: SeekableBytes;
  readonly header: LogFileHeader;
}

export interface EtlIndex {
  /** The ones with records. */
  readonly buffers: readonly IndexedBuffer[];
  readonly kept: KeptBuffers;
  /** The numbers of buffers that say that events, or buffers, before them are lost. */
  readonly withLostEvents: number;
  readonly withLostBuffers: number;
  /** The first damage in file order. */
  readonly problem: TraceError | undefined;
}

export async function readIndex(
  files: readonly EtlFile[],
  clock: EtlClock,
  learned: Learned,
): Promise<EtlIndex> {
  const pass = new IndexPass(clock, learned);
  for (const file of files) await pass.add(file, files.length > 1);
  learned.descriptions.finishManifests();
  return pass;
}

class IndexPass implements EtlIndex {
  readonly buffers: IndexedBuffer[] = [];
  readonly kept = new KeptBuffers();
  withLostEvents = 0;
  withLostBuffers = 0;
  problem: TraceError | undefined = undefined;
  readonly #clock: EtlClock;
  readonly #learned: Learned;
  #files = 0;
  #count = 0;

  constructor(clock: EtlClock, learned: Learned) {
    this.#clock = clock;
    this.#learned = learned;
  }

  async add(file: EtlFile, isOneOfSeveral: boolean): Promise<void> {
    const before = this.#count;
    let problem: TraceError | undefined;
    try {
      let start = startIn(file.header, this.#clock, 0);
      for await (const buffer of readBuffers(file.bytes, file.header)) {
        start = sessionStart(buffer, this.#clock) ?? start;
        const damage = this.#addBuffer(buffer, file.bytes.size, start);
        problem ??= damage;
      }
    } catch (error) {
      if (!(error instanceof TraceError)) throw error;
      problem ??= error;
    }
    problem ??= missingBuffers(file, this.#count - before);
    if (problem !== undefined && isOneOfSeveral) {
      problem = new TraceError(problem.code, problem.offset, `${file.name}: ${problem.sentence}`);
    }
    this.problem ??= problem;
    this.#files++;
  }

  #addBuffer(buffer: EtlBuffer, fileSize: number, start: RawTime): TraceError | undefined {
    const { header, position } = buffer;
    const cursor = new RecordCursor(buffer, start);
    const span = readSpan(cursor, this.#learned);
    const index = this.#count++;
    if (span !== undefined) {
      const size = Math.min(header.size, fileSize - position);
      this.buffers.push({ index, file: this.#files, position, size, start, ...span });
      this.kept.add(index, buffer);
    }
    if (header.hasLostEvents) this.withLostEvents++;
    if (header.hasLostBuffers) this.withLostBuffers++;
    return cursor.problem;
  }
}

/** The raw time from which ticks are counted, from here on, if a session that appended to the file starts here. */
function sessionStart(buffer: EtlBuffer, clock: EtlClock): RawTime | undefined {
  const { position } = buffer;
  if (position === 0 || !isLogFileHeader(buffer, BUFFER_HEADER_SIZE)) return undefined;
  const cursor = new RecordCursor(buffer, clock.start);
  return cursor.next() ? startIn(readLogFileHeader(cursor), clock, position) : undefined;
}

/** @throws TraceError */
function startIn(header: LogFileHeader, clock: EtlClock, position: number): RawTime {
  const start = clock.startIn(header);
  if (start !== undefined) return start;
  const sentence = 'The session that starts here counts time in other units, which is not supported.';
  throw new TraceError('unsupported', position, sentence);
}

function readSpan(
  cursor: RecordCursor,
  learned: Learned,
): Pick<IndexedBuffer, 'firstTicks' | 'isOrdered'> | undefined {
  let firstTicks = Number.POSITIVE_INFINITY;
  let lastTicks = Number.NEGATIVE_INFINITY;
  let isOrdered = true;
  while (cursor.next()) {
    const { ticks } = cursor;
    if (ticks < firstTicks) firstTicks = ticks;
    if (ticks < lastTicks) isOrdered = false;
    lastTicks = ticks;
    gather(cursor, learned);
  }
  return firstTicks === Number.POSITIVE_INFINITY ? undefined : { firstTicks, isOrdered };
}

/** Takes the information in a record that others need. */
function gather(record: RecordCursor, { descriptions, kernel, stacks }: Learned): void {
  if (record.layout !== Layout.System && record.layout !== Layout.PerfInfo)
    gatherDescriptions(record, descriptions);
  else if (!stacks.learn(record, record.ticks)) kernel.preview(record);
}

/** Takes what describes other events. */
export function gatherDescriptions(record: RecordCursor, descriptions: EventDescriptions): void {
  switch (record.layout) {
    case Layout.Event:
      if (idNumberOf(record) === MANIFEST_EVENT_ID) {
        const guid = guidAt(record, providerGuidOffset(record));
        const payload = record.buffer.bytes.subarray(extendedItemsOf(record).payload, record.end);
        descriptions.addManifestChunk(record, record.ticks, guid, payload);
      }
      break;
    case Layout.Classic:
      if (isMetadata(record)) gatherMetadata(record, descriptions);
  }
}

function isMetadata(record: RecordCursor): boolean {
  const at = providerGuidOffset(record);
  // Nearly all others differ in the first word already.
  return (
    record.buffer.view.getUint32(at, true) === METADATA_FIRST_WORD && guidAt(record, at) === METADATA_GUID
  );
}

function gatherMetadata(record: RecordCursor, descriptions: EventDescriptions): void {
  const payload = record.buffer.bytes.subarray(headerEndOf(record), record.end);
  const opcode = opcodeOf(record);
  if (opcode === EVENT_INFO) descriptions.addTraceEventInfo(payload);
  else if (opcode === EVENT_MAP_INFO) descriptions.addEventMapInfo(payload);
}

/** A closed file says how many buffers it has; a circular one also counts those that were overwritten. */
function missingBuffers({ header, bytes }: EtlFile, count: number): TraceError | undefined {
  const { buffersWritten, mode } = header;
  if (count >= buffersWritten || (mode & LogFileMode.Circular) !== 0) return undefined;
  const sentence = `The file ends after ${count} of its ${buffersWritten} buffers.`;
  return new TraceError('truncated', bytes.size, sentence);
}
