/** The fields of an event that are shown in hex: addresses, handles, bits. */
import type { PackedField, PackedType } from './field.ts';

export const HEX_TYPES: ReadonlySet<PackedType> = new Set(['hex8', 'hex16', 'hex32', 'hex64', 'pointer']);

const known = new WeakMap<readonly PackedField[], ReadonlySet<string>>();

/** Their names, including members of structs. */
export function hexFieldsOf(fields: readonly PackedField[]): ReadonlySet<string> {
  let names = known.get(fields);
  if (names === undefined) {
    names = new Set(fields.flatMap(hexNamesOf));
    known.set(fields, names);
  }
  return names;
}

function hexNamesOf({ name, type, fields = [] }: PackedField): readonly string[] {
  return HEX_TYPES.has(type) ? [name] : [...hexFieldsOf(fields)];
}
