/**
 * The notation of the tables of kernel events, and how an event is found in them. An entry tells of events
 * with the same fields, from a version on; lines that are indented go on with the entry before:
 *
 *     Process v1 Start=1 Stop=2: PageDirectoryBase pointer, ProcessID uint32, ImageFileName ansi
 *
 * Start is 'Process/Start', of opcode 1. `Info` adds nothing to the name: 'ImageID'. A field is a name and a
 * `PackedType`; `[n]` behind it is a count, `(n)` a length: numbers, names of earlier fields, or `*`.
 * A name that starts with `_` is of a field that is not shown.
 */
import type { EventDescription, PackedField, PackedType } from '../packed/field.ts';

export interface KernelTable {
  readonly provider: string;
  /** Of the class that the events belong to, lower case. */
  readonly guid: string;
  /** Of kernel records: the upper byte of their hook id. Absent where all records carry the GUID itself. */
  readonly group?: number;
  readonly entries: string;
}

interface VersionedEvent {
  readonly version: number;
  readonly description: EventDescription;
}

/** By opcode, the highest version first. */
type KernelEvents = ReadonlyMap<number, readonly VersionedEvent[]>;

/** What has been parsed. */
const parsed = new WeakMap<KernelTable, KernelEvents>();

/** The event of that version, or of the nearest lower one that is known. */
export function findEvent(table: KernelTable, opcode: number, version: number): EventDescription | undefined {
  let events = parsed.get(table);
  if (events === undefined) {
    events = parseEntries(table);
    parsed.set(table, events);
  }
  return events.get(opcode)?.find((event) => event.version <= version)?.description;
}

function parseEntries(table: KernelTable): KernelEvents {
  const events = new Map<number, VersionedEvent[]>();
  for (const entry of table.entries.trim().split(/\n(?=\S)/)) {
    const colon = entry.indexOf(':');
    const [taskName = '', version = '', ...names] = entry.slice(0, colon).split(/\s+/);
    const fields = parseFields(entry.slice(colon + 1));
    for (const name of names) {
      const [opcodeName = '', opcode] = name.split('=');
      const description: EventDescription = {
        provider: table.provider,
        name: opcodeName === 'Info' ? taskName : `${taskName}/${opcodeName}`,
        taskName,
        opcodeName,
        fields,
      };
      const versions = events.get(Number(opcode)) ?? [];
      versions.push({ version: Number(version.slice(1)), description });
      events.set(Number(opcode), versions);
    }
  }
  for (const versions of events.values()) versions.sort((a, b) => b.version - a.version);
  return events;
}

function parseFields(text: string): readonly PackedField[] {
  return text
    .split(',')
    .map((field) => field.trim())
    .filter((field) => field !== '')
    .map(parseField);
}

/** A name, a type, and a count or a length. */
const FIELD = /^(_?)(\w+) ([a-z]+\w*)(?:\[([\w*]+)\]|\((\w+)\))?$/;

function parseField(text: string): PackedField {
  const [, hidden, name = '', type, count, length] = FIELD.exec(text) ?? [];
  return {
    name,
    // The tables are ours; a test holds that all types in them exist.
    type: type as PackedType,
    ...(count === undefined ? {} : { count: numberOrName(count) }),
    ...(length === undefined ? {} : { length: numberOrName(length) }),
    ...(hidden === '_' ? { hidden: true } : {}),
  };
}

function numberOrName(text: string): number | string {
  return /^\d+$/.test(text) ? Number(text) : text;
}
