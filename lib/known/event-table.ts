/**
 * The notation of event tables, and how to look up an event in them. An entry describes events with the same fields
 * (see `parseFieldList`), from a version on; indented lines continue the previous entry:
 *
 *     Process v1 Start=1 Stop=2: PageDirectoryBase pointer, ProcessID uint32, ImageFileName ansi
 *
 * Start is 'Process/Start', number 1. `Info` adds nothing to the name: 'ImageID'. `Resume=282/13` has opcode 13, if
 * that is not the usual one for the name.
 */
import type { EventDescription } from '../wire/packed/field.ts';
import { type PackedMaps, parseFieldList } from './field-list.ts';

export interface EventTable {
  readonly provider: string;
  readonly entries: string;
  /** The maps that fields of the entries refer to. */
  readonly maps?: PackedMaps;
}

interface VersionedEvent {
  readonly version: number;
  readonly description: EventDescription;
}

/** The key is the event's number; the highest version comes first. */
type EventsByNumber = ReadonlyMap<number, readonly VersionedEvent[]>;

/** What has been parsed. */
const parsed = new WeakMap<EventTable, EventsByNumber>();

/**
 * The event of that version, or of the nearest lower one that is known.
 *
 * @param number the table's kind of number: the opcode or the id
 */
export function findEvent(table: EventTable, number: number, version: number): EventDescription | undefined {
  return eventsOf(table)
    .get(number)
    ?.find((event) => event.version <= version)?.description;
}

/** Everything that the table describes. */
export function allEvents(table: EventTable): readonly EventDescription[] {
  return [...eventsOf(table).values()].flat().map(({ description }) => description);
}

function eventsOf(table: EventTable): EventsByNumber {
  let events = parsed.get(table);
  if (events === undefined) {
    events = parseEntries(table);
    parsed.set(table, events);
  }
  return events;
}

function parseEntries(table: EventTable): EventsByNumber {
  const events = new Map<number, VersionedEvent[]>();
  for (const entry of table.entries.trim().split(/\n(?=\S)/)) {
    const colon = entry.indexOf(':');
    const [taskName = '', version = '', ...names] = entry.slice(0, colon).split(/\s+/);
    const fields = parseFieldList(entry.slice(colon + 1), table.maps);
    for (const name of names) {
      const [opcodeName = '', numbers = ''] = name.split('=');
      const [number, opcode] = numbers.split('/');
      const description: EventDescription = {
        provider: table.provider,
        name: opcodeName === 'Info' ? taskName : `${taskName}/${opcodeName}`,
        taskName,
        opcodeName,
        ...(opcode === undefined ? {} : { opcode: Number(opcode) }),
        fields,
      };
      const versions = events.get(Number(number)) ?? [];
      versions.push({ version: Number(version.slice(1)), description });
      events.set(Number(number), versions);
    }
  }
  for (const versions of events.values()) versions.sort((a, b) => b.version - a.version);
  return events;
}
