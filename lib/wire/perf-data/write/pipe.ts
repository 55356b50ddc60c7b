/**
 * What surrounds the kernel's records in a perf.data that comes through a pipe: a header of two words, and records of
 * the tool in place of a file's sections. Source: Linux `tools/perf/Documentation/perf.data-file-format.txt` and
 * `tools/lib/perf/include/perf/event.h`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { viewOf } from '../../../base/bytes.ts';
import { Feature, RECORD_HEAD_SIZE, RecordType } from '../constants.ts';
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
/** The position of the size in a record header. */
const SIZE_OFFSET = 6;
/** What follows a TRACING_DATA record, and the kernel's records, are aligned so. */
const ALIGNMENT = 8;
/** The largest record size, a u16, with this alignment. */
const MAX_RECORD_SIZE = 0xfff8;

export const PIPE_HEADER: Uint8Array = new ByteWriter().bytes(MAGIC).uint64(HEADER_SIZE).current();

/** Precedes the event's first sample. */
export function attrRecord({ attr, ids }: RecordedEvent): Uint8Array {
  const writer = head(new ByteWriter(), RecordType.HeaderAttr, attr.length + 8 * ids.length).bytes(attr);
  for (const id of ids) writer.uint64(id);
  return writer.current();
}

export function clockRecord(clock: RecordingFacts['clock']): Uint8Array {
  return featureRecord({ bit: Feature.ClockData, bytes: clockData(clock) });
}

function featureRecord({ bit, bytes }: FeatureSection): Uint8Array {
  const padded = new ByteWriter().bytes(bytes).pad(ALIGNMENT).current();
  return head(new ByteWriter(), RecordType.HeaderFeature, 8 + padded.length)
    .uint64(bit)
    .bytes(padded)
    .current();
}

/** The start of a file that can be read while it is being recorded. Its size is a multiple of 8. */
export function recordingStart(facts: StartFacts): Uint8Array {
  const features = startSections(facts).map(featureRecord);
  // A command line can be too long for a record.
  const fitting = features.filter(({ length }) => length <= MAX_RECORD_SIZE);
  return Buffer.concat([PIPE_HEADER, ...fitting]);
}

/** What precedes an event's first sample if it is not described elsewhere. Its size is a multiple of 8. */
export function announcement(event: RecordedEvent, tracingData: Uint8Array): Uint8Array {
  // Like TRACING_DATA, half a step too long.
  const filler = head(new ByteWriter(), RecordType.EventType, ALIGNMENT / 2)
    .uint32(0)
    .current();
  return Buffer.concat([attrRecord(event), tracingDataRecord(tracingData), filler]);
}

/**
 * Headers that turn the contents of a file into records that readers skip.
 *
 * @param size a multiple of 8
 */
export function* passedRecords(
  size: number,
): Generator<{ readonly offset: number; readonly head: Uint8Array }> {
  for (let offset = 0; offset < size; offset += MAX_RECORD_SIZE) {
    const bodySize = Math.min(MAX_RECORD_SIZE, size - offset) - RECORD_HEAD_SIZE;
    yield { offset, head: head(new ByteWriter(), RecordType.EventType, bodySize).current() };
  }
}

/** A record, followed by the formats whose size it contains. */
export function tracingDataRecord(tracingData: Uint8Array): Uint8Array {
  const padded = new ByteWriter().bytes(tracingData).pad(ALIGNMENT).current();
  return Buffer.concat([tracingDataHead(padded.length), padded]);
}

/** @param size of the tracing data that follows, a multiple of 8 */
export function tracingDataHead(size: number): Uint8Array {
  return head(new ByteWriter(), RecordType.TracingData, 4).uint32(size).current();
}

/** The total size of the complete records at the start of `bytes`; everything if one is damaged. */
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
