/** Fields whose numbers have names: value maps, with a name for each number, and bit maps, with one for each bit. */
import { shown } from '../base/value-text.ts';
import type { FieldMap } from '../wire/field-map.ts';
import { type EventSchema, mapsOf } from '../wire/schema.ts';
import { nameProblem } from './definition-checks.ts';
import { DefinitionError } from './definition-error.ts';

/** The types of fields with names: ETW has maps for no others. */
export type MapType = 'uint8' | 'uint16' | 'uint32';

const MOST: Readonly<Record<MapType, number>> = { uint8: 0xff, uint16: 0xffff, uint32: 0xffff_ffff };

/** The key under which a field's definition has its map. Shared by the ESM and CommonJS bundles. */
export const FIELD_MAP: unique symbol = Symbol.for('tracewright.fieldMap');

/** The definition of a field with names for its numbers; created by `valueMap` and `bitMap`. */
export interface MapDefinition {
  readonly [FIELD_MAP]: { readonly type: MapType; readonly map: FieldMap };
}

/** Names and their numbers: `{ Idle: 0, Busy: 1 }`, or an enum of TypeScript. */
export type MapNames = Readonly<Record<string, number | string>>;

/**
 * A field whose value is one of several numbers with names, like an enum. Tools that know the map, which is in the
 * manifest of the source, show the name. Write numbers.
 *
 * @param name the map's, unique in the source
 * @param names an enum of TypeScript, too
 * @throws DefinitionError for a mistake in the map
 */
export function valueMap(name: string, names: MapNames, type: MapType = 'uint32'): MapDefinition {
  return mapDefinition('value', name, names, type);
}

/**
 * A field whose bits have names, like a C# enum with `[Flags]`. Tools that know the map, which is in the manifest of the
 * source, show the names of the bits that are set. Write numbers.
 *
 * @param name the map's, unique in the source
 * @param names an enum of TypeScript, too. Zero and combinations of other names are left out: each bit has its own name
 * @throws DefinitionError for a mistake in the map
 */
export function bitMap(name: string, names: MapNames, type: MapType = 'uint32'): MapDefinition {
  return mapDefinition('bits', name, names, type);
}

function mapDefinition(kind: FieldMap['kind'], name: string, names: MapNames, type: MapType): MapDefinition {
  const called = kind === 'bits' ? 'bitMap' : 'valueMap';
  const problem = typeof name === 'string' ? nameProblem(name) : 'is not a string';
  if (problem !== undefined) throw new DefinitionError(called, `the map's name ${shown(name)} ${problem}.`);
  const place = `${called} ${name}`;
  if (!Object.hasOwn(MOST, type)) {
    throw new DefinitionError(place, `the type must be ${Object.keys(MOST).join(', ')}, not ${shown(type)}.`);
  }
  const numbers = numbersOf(place, names, type);
  const all = kind === 'bits' ? singleBits(place, numbers) : numbers;
  const entries = checkedEntries(place, all);
  return Object.freeze({ [FIELD_MAP]: { type, map: { name, kind, names: entries } } });
}

/** @throws DefinitionError */
function numbersOf(place: string, names: unknown, type: MapType): [name: string, number: number][] {
  if (typeof names !== 'object' || names === null) {
    throw new DefinitionError(place, `expected an object of names and numbers, not ${shown(names)}.`);
  }
  const given = names as MapNames;
  return Object.entries(given).flatMap(([name, value]): [string, number][] => {
    // The way back from numbers to names that TypeScript gives its enums.
    if (typeof value === 'string' && given[value] === Number(name)) return [];
    if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MOST[type]) {
      return [[name, value]];
    }
    throw new DefinitionError(
      place,
      `the value of ${shown(name)} must be an integer from 0 to ${MOST[type]} (${type}), not ${shown(value)}.`,
    );
  });
}

/** Names single bits only, as .NET does: ETW has no names for several bits. */
function singleBits(
  place: string,
  numbers: readonly (readonly [name: string, number: number])[],
): [string, number][] {
  const isBit = (number: number) => number !== 0 && 2 ** (31 - Math.clz32(number)) === number;
  const bits = numbers
    .filter(([, number]) => isBit(number))
    .map(([name, number]): [string, number] => [name, number]);
  for (const [name, number] of numbers) {
    const rest = bits.reduce((left, [, bit]) => left & ~bit, number) >>> 0;
    if (rest === 0) continue;
    throw new DefinitionError(
      place,
      `the value of ${shown(name)} must be one bit, or several that have names of their own, but 0x${rest.toString(16)} has none.`,
    );
  }
  return bits;
}

function checkedEntries(place: string, numbers: readonly (readonly [string, number])[]): FieldMap['names'] {
  if (numbers.length === 0) throw new DefinitionError(place, 'a map needs at least one name.');
  const names = new Map<number, string>();
  for (const [name, number] of numbers) {
    const problem = nameProblem(name);
    if (problem !== undefined) throw new DefinitionError(place, `the name ${shown(name)} ${problem}.`);
    const other = names.get(number);
    if (other !== undefined) {
      throw new DefinitionError(place, `${shown(other)} and ${shown(name)} have the same value, ${number}.`);
    }
    names.set(number, name);
  }
  return [...names];
}

/** @throws DefinitionError if two maps of a source have one name: manifests refer to maps by name */
export function checkMapNames(provider: string, events: readonly EventSchema[]): void {
  const known = new Map<string, FieldMap>();
  for (const event of events) {
    for (const map of mapsOf(event.fields)) {
      const other = known.get(map.name);
      known.set(map.name, map);
      if (other === undefined || JSON.stringify(other) === JSON.stringify(map)) continue;
      throw new DefinitionError(
        `${provider}.${event.name}`,
        `the source already has another map with the name "${map.name}".`,
      );
    }
  }
}
