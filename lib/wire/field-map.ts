/** Names for the numbers of a field: value maps and bit maps, as in ETW's manifests. */

/** A definition has these maps; readers have theirs by number, see `PackedMap`. */
export interface FieldMap {
  readonly name: string;
  /** `value`: one name for each number. `bits`: each bit has a name. */
  readonly kind: 'value' | 'bits';
  readonly names: readonly (readonly [value: number, name: string])[];
}

/** The names of bits that are looked at, and the characters of each: a description is not trusted. */
const MAX_BIT_NAMES = 1024;
const MAX_BIT_NAME = 1024;

/** The names for a number, as in PerfView: `Busy`, `Read|Delete|0x10`; undefined if it has none. */
export function namesText(
  { kind, names }: { readonly kind: FieldMap['kind']; readonly names: ReadonlyMap<number, string> },
  value: unknown,
): string | undefined {
  if (typeof value !== 'bigint' && !Number.isInteger(value)) return undefined;
  const number = value as number | bigint;
  const name = names.get(Number(number));
  if (name !== undefined || kind === 'value') return name;
  const texts: string[] = [];
  let rest = BigInt(number);
  let left = MAX_BIT_NAMES;
  for (const [bits, bitsName] of names) {
    if (rest === 0n || left-- === 0) break;
    const mask = BigInt(bits);
    if (mask !== 0n && (rest & mask) === mask) {
      texts.push(bitsName.slice(0, MAX_BIT_NAME));
      rest &= ~mask;
    }
  }
  if (texts.length === 0) return undefined;
  // Bits without names must not be lost.
  if (rest !== 0n) texts.push(`0x${BigInt.asUintN(64, rest).toString(16)}`);
  return texts.join('|');
}
