/**
 * What a perf.data that comes through a pipe has around the kernel's records: a header of two words, and
 * records of the tool for all that stands in the sections of a file. Source: Linux
 * `tools/perf/Documentation/perf.data-file-format.txt` and `tools/lib/perf/include/perf/event.h`.
 */
import { viewOf } from '../../bytes.ts';
import { Feature, RECORD_HEAD_SIZE, RecordType } from '../constants.ts';
import { ByteWriter } from './byte-writer.ts';
import {
  clockData,
  type FeatureSection,
  type RecordedEvent,
  type RecordingFacts,
  type StartFacts,
  startSections,
} from './features.ts';
import { MAGIC } from './file.ts';
import { head } from './records.ts';

const HEADER_SIZE = 16;
/** Where in its head a record's size stands. */
const SIZE_OFFSET = 6;
/** Of what stands behind a TRACING_DATA record, and of the kernel's records. */
const ALIGNMENT = 8;
/** The largest that a record's size, a u16, can tell with this alignment. */
const MAX_RECORD_SIZE = 0xfff8;

export const PIPE_HEADER: Uint8Array = new ByteWriter().bytes(MAGIC).uint64(HEADER_SIZE).done();

/** Stands in front of the event's first sample. */
export function attrRecord({ attr, ids }: RecordedEvent): Uint8Array {
  const writer = head(new ByteWriter(), RecordType.HeaderAttr, attr.length + 8 * ids.length).bytes(attr);
  for (const id of ids) writer.uint64(id);
  return writer.done();
}

export function clockRecord(clock: RecordingFacts['clock']): Uint8Array {
  return featureRecord({ bit: Feature.ClockData, bytes: clockData(clock) });
}

function featureRecord({ bit, bytes }: FeatureSection): Uint8Array {
  const padded = new ByteWriter().bytes(bytes).pad(ALIGNMENT).done();
  return head(new ByteWriter(), RecordType.HeaderFeature, 8 + padded.length)
    .uint64(bit)
    .bytes(padded)
    .done();
}

/** What a file starts with that can be read while it is recorded. Its size is a multiple of 8. */
export function recordingStart(facts: StartFacts): Uint8Array {
  const features = startSections(facts).map(featureRecord);
  // A command line can be too long for a record.
  const fitting = features.filter(({ length }) => length <= MAX_RECORD_SIZE);
  return Buffer.concat([PIPE_HEADER, ...fitting]);
}

/** What stands in front of an event's first sample that is not described elsewhere. Its size is a multiple of 8. */
export function announcement(event: RecordedEvent, tracingData: Uint8Array): Uint8Array {
  // As TRACING_DATA is, half a step too long.
  const filler = head(new ByteWriter(), RecordType.EventType, ALIGNMENT / 2)
    .uint32(0)
    .done();
  return Buffer.concat([attrRecord(event), tracingDataRecord(tracingData), filler]);
}

/**
 * Heads that make records which readers pass of what stands in a file.
 *
 * @param size a multiple of 8
 */
export function* passedRecords(
  size: number,
): Generator<{ readonly offset: number; readonly head: Uint8Array }> {
  for (let offset = 0; offset < size; offset += MAX_RECORD_SIZE) {
    const bodySize = Math.min(MAX_RECORD_SIZE, size - offset) - RECORD_HEAD_SIZE;
    yield { offset, head: head(new ByteWriter(), RecordType.EventType, bodySize).done() };
  }
}

/** A record, and behind it the formats that it tells the size of. */
export function tracingDataRecord(tracingData: Uint8Array): Uint8Array {
  const padded = new ByteWriter().bytes(tracingData).pad(ALIGNMENT).done();
  return Buffer.concat([tracingDataHead(padded.length), padded]);
}

/** @param size of the tracing data behind it, a multiple of 8 */
export function tracingDataHead(size: number): Uint8Array {
  return head(new ByteWriter(), RecordType.TracingData, 4).uint32(size).done();
}

/** How many bytes the whole records take that `bytes` starts with; all where one is damaged. */
export function wholeRecordsSize(bytes: Uint8Array): number {
  const view = viewOf(bytes);
  let end = 0;
  while (end + RECORD_HEAD_SIZE <= bytes.length) {
    const size = view.getUint16(end + SIZE_OFFSET, true);
    if (size < RECORD_HEAD_SIZE) return bytes.length;
    if (end + size > bytes.length) break;
    end += size;
  }
  return end;
}
