/**
 * Records that accompany the kernel's own in a recording's file. Source: Linux `perf_event.h`, and
 * `tools/perf/Documentation/perf.data-file-format.txt`.
 */

import { ByteWriter } from '../../../base/byte-writer.ts';
import { RECORD_HEAD_SIZE, RecordType } from '../constants.ts';

/** Each record that is not a sample ends with pid, tid, time, processor, reserved, identifier. */
const IDS_SIZE = 32;
/** PERF_RECORD_MISC_*: whose address a record contains. */
const MISC_KERNEL = 1;
const MISC_USER = 2;
/** perf's number for the kernel. */
const NO_PROCESS = 0xffff_ffff;

/** No later record is older than the newest one before the previous mark. */
export const FINISHED_ROUND: Uint8Array = head(new ByteWriter(), RecordType.FinishedRound, 0).current();

/** The name of a thread that had it before the recording. */
export function commRecord(pid: number, tid: number, name: string): Uint8Array {
  const body = new ByteWriter().uint32(pid).uint32(tid).terminatedUtf8(name).pad(8);
  return withIds(RecordType.Comm, body, pid, tid);
}

/** A process that another one had started before the recording. */
export function forkRecord(pid: number, parent: number): Uint8Array {
  const body = new ByteWriter().uint32(pid).uint32(parent).uint32(pid).uint32(parent).uint64(0n);
  return withIds(RecordType.Fork, body, pid, pid);
}

/** A file that a process has mapped as code. */
interface MappedCode {
  readonly start: bigint;
  readonly length: bigint;
  /** The position in the file. */
  readonly fileOffset: bigint;
  /** The numbers of the device that has the file; all are 0 for memory without a file. */
  readonly major: number;
  readonly minor: number;
  readonly inode: bigint;
  /** PROT_* and MAP_*. */
  readonly protection: number;
  readonly flags: number;
  readonly filename: string;
}

/** What a process had mapped before the recording. */
export function mappingRecord(pid: number, code: MappedCode): Uint8Array {
  const body = new ByteWriter()
    .uint32(pid)
    .uint32(pid)
    .uint64(code.start)
    .uint64(code.length)
    .uint64(code.fileOffset)
    .uint32(code.major)
    .uint32(code.minor)
    .uint64(code.inode)
    .uint64(0) // generation of the inode
    .uint32(code.protection)
    .uint32(code.flags)
    .terminatedUtf8(code.filename)
    .pad(8);
  return withIds(RecordType.Mmap2, body, pid, pid, { misc: MISC_USER });
}

/** Code of the kernel, which belongs to no process. */
export function kernelMappingRecord(
  code: Pick<MappedCode, 'start' | 'length' | 'fileOffset' | 'filename'>,
): Uint8Array {
  const body = new ByteWriter()
    .uint32(NO_PROCESS)
    .uint32(0)
    .uint64(code.start)
    .uint64(code.length)
    .uint64(code.fileOffset)
    .terminatedUtf8(code.filename)
    .pad(8);
  return withIds(RecordType.Mmap, body, NO_PROCESS, 0, { misc: MISC_KERNEL });
}

/** @param id of the event that lost them */
export function lostRecord(id: bigint, count: number, timeNs: bigint): Uint8Array {
  return withIds(RecordType.Lost, new ByteWriter().uint64(id).uint64(count), 0, 0, { timeNs, id });
}

interface RecordParts {
  readonly misc?: number;
  readonly timeNs?: bigint;
  readonly id?: bigint;
}

/** Identifier 0 is for records that no event has produced. */
function withIds(
  type: number,
  body: ByteWriter,
  pid: number,
  tid: number,
  { misc = 0, timeNs = 0n, id = 0n }: RecordParts = {},
): Uint8Array {
  return head(new ByteWriter(), type, body.length + IDS_SIZE, misc)
    .bytes(body.current())
    .uint32(pid)
    .uint32(tid)
    .uint64(timeNs)
    .uint64(0)
    .uint64(id)
    .current();
}

/** @param bodySize of the rest of the record */
export function head(writer: ByteWriter, type: number, bodySize: number, misc = 0): ByteWriter {
  return writer
    .uint32(type)
    .uint16(misc)
    .uint16(RECORD_HEAD_SIZE + bodySize);
}
