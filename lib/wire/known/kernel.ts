/**
 * What is known of the events of Windows' kernel and of KernelTraceControl, whose payloads nothing in a trace
 * describes.
 */
import type { EventDescription } from '../packed/field.ts';
import { KERNEL_EVENT_TRACE, KERNEL_PROCESS, KERNEL_THREAD } from './kernel-process.ts';
import { findEvent, type KernelTable } from './kernel-table.ts';

const TABLES: readonly KernelTable[] = [KERNEL_EVENT_TRACE, KERNEL_PROCESS, KERNEL_THREAD];

const BY_GROUP = new Map(
  TABLES.flatMap((table) => (table.group === undefined ? [] : [[table.group, table]])),
);
const BY_GUID = new Map(TABLES.map((table) => [table.guid, table]));

/**
 * The event of a kernel record.
 *
 * @param group the upper byte of its hook id, `opcode` the lower one
 * @param version of a version that is not known, the nearest lower one is given
 */
export function kernelEvent(group: number, opcode: number, version: number): EventDescription | undefined {
  const table = BY_GROUP.get(group);
  return table && findEvent(table, opcode, version);
}

/** The GUID of the class that the kernel records of a group belong to. */
export function kernelGroupGuid(group: number): string | undefined {
  return BY_GROUP.get(group)?.guid;
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
