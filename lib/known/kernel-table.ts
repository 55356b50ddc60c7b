/** Tables of the kernel's events, numbered by opcode. */
import type { EventTable } from './event-table.ts';

export interface KernelTable extends EventTable {
  /** The GUID of the class that the events belong to, lower case. */
  readonly guid: string;
  /** The upper byte of a kernel record's hook id. Absent where all records carry the GUID itself. */
  readonly group?: number;
}

export { findEvent } from './event-table.ts';
