/**
 * The threads and processes that kernel records are about, according to their payload. These are not always the ones
 * that were running, which are in the header if it has room for them: a thread's start is recorded by the thread that
 * creates it. Source: the kernel's MOF classes in Microsoft's documentation of NT Kernel Logger events.
 */

import type { EtlRecord } from './buffer.ts';
import { KernelGroup } from './constants.ts';
import { groupOf, headerEndOf, opcodeOf, pointerSizeOf, versionOf } from './record.ts';

interface IdPlace {
  readonly group: number;
  readonly opcodes: readonly number[];
  readonly minVersion: number;
  /** What precedes the id, in bytes and in pointers. */
  readonly bytes: number;
  readonly pointers: number;
}

const DISK_IO = 1;
const PAGE_FAULT = 2;
const TCP_IP = 6;
const UDP_IP = 8;
const IMAGE = 0x14;

const THREADS: readonly IdPlace[] = [
  // Start, End, DCStart, DCEnd: process, thread.
  { group: KernelGroup.Thread, opcodes: [1, 2, 3, 4], minVersion: 1, bytes: 4, pointers: 0 },
  // SampledProfile: instruction pointer, thread.
  { group: KernelGroup.PerfInfo, opcodes: [46], minVersion: 1, bytes: 0, pointers: 1 },
  // Read, Write: disk, flags, size, reserved, offset u64, file, request, response time u64, thread.
  { group: DISK_IO, opcodes: [10, 11], minVersion: 3, bytes: 32, pointers: 2 },
  // FlushBuffers: disk, flags, response time u64, request, thread.
  { group: DISK_IO, opcodes: [14], minVersion: 3, bytes: 16, pointers: 1 },
  // HardFault: time u64, offset u64, address, file, thread.
  { group: PAGE_FAULT, opcodes: [32], minVersion: 0, bytes: 16, pointers: 2 },
];

const PROCESSES: readonly IdPlace[] = [
  { group: KernelGroup.Thread, opcodes: [1, 2, 3, 4], minVersion: 1, bytes: 0, pointers: 0 },
  // Start, End, DCStart, DCEnd, Defunct: key, process.
  { group: KernelGroup.Process, opcodes: [1, 2, 3, 4, 39], minVersion: 1, bytes: 0, pointers: 1 },
  // PerfCtr, PerfCtrRundown: process.
  { group: KernelGroup.Process, opcodes: [32, 33], minVersion: 2, bytes: 0, pointers: 0 },
  // Send, Receive, Connect and so on, for IPv4 and IPv6: process.
  {
    group: TCP_IP,
    opcodes: [10, 11, 12, 13, 14, 15, 16, 18, 26, 27, 28, 29, 30, 31, 32, 34],
    minVersion: 1,
    bytes: 0,
    pointers: 0,
  },
  { group: UDP_IP, opcodes: [10, 11, 26, 27], minVersion: 1, bytes: 0, pointers: 0 },
  // Unload, DCStart, DCEnd, Load: base, size, process.
  { group: IMAGE, opcodes: [2, 3, 4, 10], minVersion: 1, bytes: 0, pointers: 2 },
];

const places = (ids: readonly IdPlace[]) =>
  new Map(ids.flatMap((place) => place.opcodes.map((opcode) => [(place.group << 8) | opcode, place])));
const THREAD_PLACES = places(THREADS);
const PROCESS_PLACES = places(PROCESSES);

export function payloadThreadIdOf(record: EtlRecord): number | undefined {
  return read(record, THREAD_PLACES);
}

export function payloadProcessIdOf(record: EtlRecord): number | undefined {
  return read(record, PROCESS_PLACES);
}

function read(record: EtlRecord, ids: ReadonlyMap<number, IdPlace>): number | undefined {
  const place = ids.get((groupOf(record) << 8) | opcodeOf(record));
  if (place === undefined || versionOf(record) < place.minVersion) return undefined;
  const at = headerEndOf(record) + place.bytes + place.pointers * pointerSizeOf(record);
  return at + 4 <= record.end ? record.buffer.view.getUint32(at, true) : undefined;
}
