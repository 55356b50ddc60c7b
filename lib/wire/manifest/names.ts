/**
 * The names that a manifest needs but definitions lack: for each task, opcode and keyword in use. Tools show an event
 * as its task and opcode, so tasks are named after their events, as in .NET.
 */
import type { FieldMap } from '../field-map.ts';
import type { EventSchema } from '../schema.ts';
import { OPCODE_NAMES, SESSION_KEYWORDS } from './constants.ts';

const START = 'Start';
const START_OPCODE = 1;
/** An event without an opcode of its own has this one. */
export const INFO = 'Info';

/**
 * Maps each number to a name. A task with a Start event is named after it, without "Start"; any other after its first
 * event.
 */
export function taskNames(events: readonly EventSchema[]): Map<number, string> {
  const names = new Map<number, string>();
  const isStart = ({ opcode, name }: EventSchema) => opcode === START_OPCODE && name.endsWith(START);
  const startedTasks = new Set(events.filter(isStart).map(({ task }) => task));
  // First those that are an event's whole name.
  for (const { task, name } of events) {
    if (!startedTasks.has(task)) addName(names, task, name);
  }
  for (const { task, name } of events.filter(isStart)) {
    addName(names, task, name.slice(0, -START.length) || name);
  }
  return names;
}

/** Names each event; of several with one name, all but the first have their ids appended. */
export function eventNames(events: readonly EventSchema[]): Map<EventSchema, string> {
  const taken = new Set(events.map(({ name }) => name));
  const first = new Map(events.toReversed().map((event) => [event.name, event]));
  return new Map(
    events.map((event) => {
      let name = event.name;
      while (first.get(event.name) !== event && taken.has(name)) name = `${name}_${event.id}`;
      taken.add(name);
      return [event, name];
    }),
  );
}

/**
 * The keys are made by `mapText`; of several maps with one name, all but the first have a number appended. They come
 * from different definitions of one provider.
 */
export function uniqueMaps(maps: readonly FieldMap[]): Map<string, FieldMap> {
  const unique = new Map<string, FieldMap>();
  const taken = new Set(maps.map(({ name }) => name));
  for (const map of maps) {
    if (unique.has(mapText(map))) continue;
    let { name } = map;
    const isFirst = maps.find((other) => other.name === map.name) === map;
    for (let number = 2; !isFirst && taken.has(name); number++) name = `${map.name}${number}`;
    taken.add(name);
    unique.set(mapText(map), { ...map, name });
  }
  return unique;
}

/** Equal maps have equal texts, however often they are defined. */
export function mapText(map: FieldMap): string {
  return JSON.stringify(map);
}

/** A name that another number already has gets its number appended. */
function addName(names: Map<number, string>, number: number, name: string): void {
  if (names.has(number)) return;
  names.set(number, [...names.values()].includes(name) ? `${name}${number}` : name);
}

/** Names, by number, the opcodes in use that a manifest must declare. */
export function opcodeNames(events: readonly EventSchema[]): Map<number, string> {
  const declared = events.map(({ opcode }) => opcode).filter((opcode) => !OPCODE_NAMES.has(opcode));
  return new Map(declared.sort((a, b) => a - b).map((opcode) => [opcode, `Opcode${opcode}`]));
}

/**
 * Names keywords by bit, lowest first: the application's names, generated names for bits that events use without one,
 * and those of the session keywords. A name for several bits does not name a keyword in a manifest.
 */
export function keywordNames(
  events: readonly EventSchema[],
  given: Readonly<Record<string, bigint>>,
): Map<bigint, string> {
  const used = events.reduce((all, { keywords }) => all | keywords, 0n);
  const names = new Map<bigint, string>();
  for (let bit = 1n; bit < 1n << 64n; bit <<= 1n) {
    const name = Object.keys(given).find((key) => given[key] === bit);
    const session = SESSION_KEYWORDS.find(({ mask }) => mask === bit);
    if (name !== undefined) names.set(bit, name);
    else if (session !== undefined) names.set(bit, session.name);
    else if ((used & bit) !== 0n) names.set(bit, `Keyword0x${bit.toString(16)}`);
  }
  return names;
}

/** Names an event without a name of its own as PerfView does. */
export function eventNameOf(id: number, taskName: string | undefined, opcodeName: string): string {
  if (taskName === undefined) return `EventID(${id})`;
  return opcodeName === INFO ? taskName : `${taskName}/${opcodeName}`;
}
