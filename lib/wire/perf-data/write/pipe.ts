/**
 * What a perf.data that comes through a pipe has around the kernel's records: a header of two words, and
 * records of the tool for all that stands in the sections of a file. Source: Linux
 * `tools/perf/Documentation/perf.data-file-format.txt` and `tools/lib/perf/include/perf/event.h`.
 */
import { viewOf } from '../../bytes.ts';
import { Feature, RECORD_HEAD_SIZE, RecordType } from '../constants.ts';
import { ByteWriter } from './byte-writer.ts';
import { clockData, type RecordedEvent, type RecordingFacts } from './features.ts';
import { MAGIC } from './file.ts';
import { head } from './records.ts';

const HEADER_SIZE = 16;
/** Where in its head a record's size stands. */
const SIZE_OFFSET = 6;
/** Of what stands behind a TRACING_DATA record. */
const ALIGNMENT = 8;

export const PIPE_HEADER: Uint8Array = new ByteWriter().bytes(MAGIC).uint64(HEADER_SIZE).done();

/** Stands in front of the event's first sample. */
export function attrRecord({ attr, ids }: RecordedEvent): Uint8Array {
  const writer = head(new ByteWriter(), RecordType.HeaderAttr, attr.length + 8 * ids.length).bytes(attr);
  for (const id of ids) writer.uint64(id);
  return writer.done();
}

export function clockRecord(clock: RecordingFacts['clock']): Uint8Array {
  const bytes = clockData(clock);
  return head(new ByteWriter(), RecordType.HeaderFeature, 8 + bytes.length)
    .uint64(Feature.ClockData)
    .bytes(bytes)
    .done();
}

/** A record, and behind it the formats that it tells the size of. */
export function tracingDataRecord(tracingData: Uint8Array): Uint8Array {
  const padded = new ByteWriter().bytes(tracingData).pad(ALIGNMENT).done();
  return head(new ByteWriter(), RecordType.TracingData, 4).uint32(padded.length).bytes(padded).done();
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
