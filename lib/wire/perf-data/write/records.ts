/**
 * Records that accompany the kernel's own in a recording's file. Source: Linux `perf_event.h`, and
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { RECORD_HEAD_SIZE, RecordType } from '../constants.ts';

/** At the end of each record that is not a sample: pid, tid, time, processor, reserved, identifier. */
const IDS_SIZE = 32;

/** No later record is older than the newest one before the previous mark. */
export const FINISHED_ROUND: Uint8Array = head(new ByteWriter(), RecordType.FinishedRound, 0).current();

/** The name of a thread that had it before the recording. */
export function commRecord(pid: number, tid: number, name: string): Uint8Array {
  const body = new ByteWriter().uint32(pid).uint32(tid).terminatedUtf8(name).pad(8);
  return withIds(RecordType.Comm, body, pid, tid);
}

/** @param id of the event that lost them */
export function lostRecord(id: bigint, count: number, timeNs: bigint): Uint8Array {
  return withIds(RecordType.Lost, new ByteWriter().uint64(id).uint64(count), 0, 0, timeNs, id);
}

/** Identifier 0 is for records that no event has produced. */
function withIds(type: number, body: ByteWriter, pid: number, tid: number, timeNs = 0n, id = 0n): Uint8Array {
  return head(new ByteWriter(), type, body.length + IDS_SIZE)
    .bytes(body.current())
    .uint32(pid)
    .uint32(tid)
    .uint64(timeNs)
    .uint64(0)
    .uint64(id)
    .current();
}

/** @param bodySize of the rest of the record */
export function head(writer: ByteWriter, type: number, bodySize: number): ByteWriter {
  return writer
    .uint32(type)
    .uint16(0)
    .uint16(RECORD_HEAD_SIZE + bodySize);
}
