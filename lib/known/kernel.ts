/**
 * What is known about the events of the Windows kernel and of KernelTraceControl, whose payloads are not described in
 * traces.
 */
import type { EventDescription } from '../wire/packed/field.ts';
import { allEvents, findEvent } from './event-table.ts';
import { KERNEL_SYSTEM_CONFIG, SYS_CONFIG } from './kernel-config.ts';
import { KERNEL_DISK_IO, KERNEL_FILE_IO, KERNEL_REGISTRY, KERNEL_SPLIT_IO } from './kernel-io.ts';
import { CRITICAL_SECTION, HEAP, KERNEL_OBJECT, KERNEL_PAGE_FAULT, KERNEL_POOL } from './kernel-memory.ts';
import { KERNEL_ALPC, KERNEL_TCP_IP, KERNEL_UDP_IP } from './kernel-network.ts';
import { KERNEL_DEBUG_PRINT, KERNEL_PERF_INFO, KERNEL_STACK_WALK } from './kernel-performance.ts';
import { KERNEL_EVENT_TRACE, KERNEL_IMAGE, KERNEL_PROCESS, KERNEL_THREAD } from './kernel-process.ts';
import type { KernelTable } from './kernel-table.ts';
import { IMAGE_ID, META_DATA, WIN_SAT } from './kernel-trace-control.ts';

export const KERNEL_TABLES: readonly KernelTable[] = [
  KERNEL_EVENT_TRACE,
  KERNEL_DISK_IO,
  KERNEL_PAGE_FAULT,
  KERNEL_PROCESS,
  KERNEL_FILE_IO,
  KERNEL_THREAD,
  KERNEL_TCP_IP,
  KERNEL_UDP_IP,
  KERNEL_REGISTRY,
  KERNEL_DEBUG_PRINT,
  KERNEL_SYSTEM_CONFIG,
  KERNEL_POOL,
  KERNEL_PERF_INFO,
  HEAP,
  KERNEL_OBJECT,
  KERNEL_IMAGE,
  CRITICAL_SECTION,
  KERNEL_STACK_WALK,
  KERNEL_ALPC,
  KERNEL_SPLIT_IO,
  SYS_CONFIG,
  IMAGE_ID,
  META_DATA,
  WIN_SAT,
];

/** Groups whose events are not known here: job, WNF, power, module bounds, DPC, cache, UMS, thread pool. */
const OTHER_GROUPS: readonly (readonly [group: number, guid: string])[] = [
  [0x07, '3282fc76-feed-498e-8aa7-e70f459d430e'],
  [0x0d, '42695762-ea50-497a-9068-5cbbb35e0b95'],
  [0x12, 'e43445e0-0903-48c3-b878-ff0fccebdd04'],
  [0x13, 'a9152f00-3f58-4bee-92a1-70c7d079d5dd'],
  [0x15, 'b2d14872-7c5b-463d-8419-ee9bf7d23e04'],
  [0x16, '7687a439-f752-45b8-b741-321aec0f8df9'],
  [0x19, '9aec974b-5b8e-4118-9b92-3186d8002ce5'],
  [0x1c, 'c861d0e2-a2c1-4d36-9f9c-970bab943a12'],
];

const BY_GROUP = new Map(KERNEL_TABLES.map((table) => [table.group, table]));
const BY_GUID = new Map(KERNEL_TABLES.map((table) => [table.guid, table]));
const OTHER_GUIDS = new Map(OTHER_GROUPS);

/**
 * The event of a kernel record.
 *
 * @param group the upper byte of its hook id, `opcode` the lower one
 * @param version if unknown, the nearest lower one applies
 */
export function kernelEvent(group: number, opcode: number, version: number): EventDescription | undefined {
  const table = BY_GROUP.get(group);
  return table && findEvent(table, opcode, version);
}

/** The GUID of the class to which the kernel records of a group belong. */
export function kernelGroupGuid(group: number): string | undefined {
  return BY_GROUP.get(group)?.guid ?? OTHER_GUIDS.get(group);
}

/** What its class tells about an event that is not known itself. */
export function kernelClass(
  classGuid: string | undefined,
): Pick<EventDescription, 'provider' | 'taskName'> | undefined {
  const table = classGuid === undefined ? undefined : BY_GUID.get(classGuid);
  return table && allEvents(table)[0];
}

/** The event of a record that carries a class GUID (lower case). */
export function classicEvent(
  classGuid: string,
  opcode: number,
  version: number,
): EventDescription | undefined {
  const table = BY_GUID.get(classGuid);
  return table && findEvent(table, opcode, version);
}
