/**
 * The first pass over an .etl, before its events are delivered: finds when each buffer starts and what describes the
 * events, which may come after them.
 */
import type { EtlBuffer } from '../../wire/etl/buffer.ts';
import type { EtlClock } from '../../wire/etl/clock.ts';
import { BUFFER_HEADER_SIZE, LogFileMode } from '../../wire/etl/constants.ts';
import { EtlError } from '../../wire/etl/error.ts';
import { extendedItemsOf } from '../../wire/etl/extended-items.ts';
import type { LogFileHeader } from '../../wire/etl/log-file-header.ts';
import { guidAt, headerEndOf, idNumberOf, opcodeOf, providerGuidOffset } from '../../wire/etl/record.ts';
import { RecordCursor } from '../../wire/etl/record-cursor.ts';
import { Layout } from '../../wire/etl/record-type.ts';
import { MANIFEST_EVENT_ID } from '../../wire/manifest/constants.ts';
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
export interface Learned {
  readonly descriptions: EventDescriptions;
  readonly kernel: KernelState;
  readonly stacks: StackDefinitions;
}

export interface EtlIndex {
  /** The ones with records. */
  readonly buffers: readonly IndexedBuffer[];
  readonly kept: KeptBuffers;
  /** This and the next: buffers according to which preceding events, or buffers, are missing. */
  readonly withLostEvents: number;
  readonly withLostBuffers: number;
  /** The first damage in file order. */
  readonly problem: EtlError | undefined;
}

export async function readIndex(
  bytes: SeekableBytes,
  header: LogFileHeader,
  clock: EtlClock,
  learned: Learned,
): Promise<EtlIndex> {
  const buffers: IndexedBuffer[] = [];
  const kept = new KeptBuffers();
  let count = 0;
  let withLostEvents = 0;
  let withLostBuffers = 0;
  let problem: EtlError | undefined;
  try {
    for await (const buffer of readBuffers(bytes)) {
      const cursor = new RecordCursor(buffer, clock.start);
      const span = readSpan(cursor, learned);
      problem ??= cursor.problem;
      if (span !== undefined) {
        const size = Math.min(buffer.header.size, bytes.size - buffer.position);
        buffers.push({ index: count, position: buffer.position, size, ...span });
        kept.add(buffer);
      }
      count++;
      if (buffer.header.hasLostEvents) withLostEvents++;
      if (buffer.header.hasLostBuffers) withLostBuffers++;
    }
  } catch (error) {
    if (!(error instanceof EtlError)) throw error;
    problem ??= error;
  }
  learned.descriptions.finishManifests();
  return {
    buffers,
    kept,
    withLostEvents,
    withLostBuffers,
    problem: problem ?? missingBuffers(header, count, bytes),
  };
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
      break;
    case Layout.System:
    case Layout.PerfInfo:
      if (!stacks.learn(record, record.ticks)) kernel.preview(record);
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
function missingBuffers(header: LogFileHeader, count: number, bytes: SeekableBytes): EtlError | undefined {
  const { buffersWritten, mode } = header;
  if (count >= buffersWritten || (mode & LogFileMode.Circular) !== 0) return undefined;
  const sentence = `The file ends after ${count} of its ${buffersWritten} buffers.`;
  return new EtlError('truncated', bytes.size, sentence);
}

/** Whether the record is the header of the log file, which is not an event. */
export function isLogFileHeader({ position }: EtlBuffer, offset: number): boolean {
  return position === 0 && offset === BUFFER_HEADER_SIZE;
}
