/** A perf.data that is entirely in memory. */

import { readHead } from '../../../lib/wire/perf-data/head.ts';
import { Piece } from '../../../lib/wire/perf-data/piece.ts';
import { RecordReader } from '../../../lib/wire/perf-data/record-reader.ts';
import type { PerfRecord } from '../../../lib/wire/perf-data/records.ts';
import { SampleKind, SampleRecord } from '../../../lib/wire/perf-data/sample.ts';
import type { PerfSession } from '../../../lib/wire/perf-data/session.ts';
import { TraceError } from '../../../lib/wire/trace-error.ts';

export interface PerfDataFile {
  readonly session: PerfSession;
  /**
   * The records in file order, read on demand.
   * @throws TraceError if a record is damaged, after all earlier ones have been returned
   */
  records(): Iterable<PerfRecord>;
}

/**
 * @param bytes the whole file
 * @throws TraceError
 */
export function readPerfData(bytes: Uint8Array): PerfDataFile {
  const head = readHead();
  let step = head.next();
  while (!step.done) step = head.next(bytes.subarray(step.value.start, step.value.end));
  const { session, start, end = bytes.length, fault } = step.value;
  if (fault !== undefined) throw fault;
  return { session, records: () => readRecords(bytes, session, start, end) };
}

function* readRecords(
  bytes: Uint8Array,
  session: PerfSession,
  start: number,
  end: number,
): Generator<PerfRecord> {
  const reader = new RecordReader(session);
  reader.push(new Piece(bytes.subarray(start, end), start));
  while (reader.next()) {
    const { record } = reader;
    if (record instanceof SampleKind) {
      yield new SampleRecord(record, reader.piece, reader.start, reader.end);
    } else if (record?.kind === 'compressed') {
      throw new TraceError('unsupported', record.offset, 'The records are compressed: open it as a trace.');
    } else if (record !== undefined) {
      yield record;
    }
  }
  reader.finish();
}
