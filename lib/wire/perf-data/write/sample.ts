/**
 * A sample as the kernel writes it for the attributes of a recording, around an event that arrived by another way.
 * Source: Linux `perf_event.h`, PERF_RECORD_SAMPLE.
 */

import type { ByteWriter } from '../../../base/byte-writer.ts';
import { RECORD_HEAD_SIZE, RecordType } from '../constants.ts';
import { head } from './records.ts';

interface Sample {
  /** The id of the event on this processor. */
  readonly id: bigint;
  readonly pid: number;
  readonly tid: number;
  readonly timeNs: bigint;
  readonly cpu: number;
  /** The raw data from `common_type` on. */
  readonly raw: Uint8Array;
}

/** Identifier, ip, pid and tid, time, processor, period, and the size of the event's data. */
const FIXED_SIZE = 52;
/** A record's size has 16 bits, and is a multiple of 8. */
const SIZE_LIMIT = 0xfff8;

/** No larger event fits into a record. */
export const RAW_LIMIT: number = SIZE_LIMIT - RECORD_HEAD_SIZE - FIXED_SIZE;

/** @param writer whose size is a multiple of 8 bytes */
export function writeSample(writer: ByteWriter, { id, pid, tid, timeNs, cpu, raw }: Sample): void {
  const bodySize = 8 * Math.ceil((FIXED_SIZE + raw.length) / 8);
  head(writer, RecordType.Sample, bodySize)
    .uint64(id)
    .uint64(0)
    .uint32(pid)
    .uint32(tid)
    .uint64(timeNs)
    .uint32(cpu)
    .uint32(0)
    .uint64(1)
    .uint32(bodySize - FIXED_SIZE)
    .bytes(raw)
    .pad(8);
}
