/**
 * A field list prepared for decoding: names referred to by lengths and counts become slots, so that decoding needs no
 * lookups.
 */
import type { PackedField, PackedType } from './field.ts';

/** A number from an earlier field of the same event. */
interface Reference {
  readonly name: string;
  /** Where decoding stores the number; undefined if no earlier field has the name. */
  readonly slot: number | undefined;
}

/** A length or a count. */
export type Extent = number | '*' | Reference;

export interface FieldLayout {
  readonly name: string;
  readonly type: PackedType;
  readonly typeName: string | undefined;
  readonly isHidden: boolean;
  readonly length: Extent | undefined;
  readonly count: Extent | undefined;
  /** Only a struct has members. */
  readonly members: readonly FieldLayout[];
  /** Where the field's own value is stored, if a later one refers to it. */
  slot: number | undefined;
}

interface PackedLayout {
  readonly fields: readonly FieldLayout[];
  readonly slotCount: number;
}

const layouts = new WeakMap<readonly PackedField[], PackedLayout>();

/** The layout of a field list, which must not change afterwards. */
export function layoutOf(fields: readonly PackedField[]): PackedLayout {
  let layout = layouts.get(fields);
  if (layout === undefined) {
    const maker = new LayoutMaker();
    layout = { fields: maker.lay(fields), slotCount: maker.slotCount };
    layouts.set(fields, layout);
  }
  return layout;
}

/** The fields before a field; members of a struct also see those around the struct. */
interface Scope {
  readonly fields: Map<string, FieldLayout>;
  readonly outer: Scope | undefined;
}

class LayoutMaker {
  slotCount = 0;

  lay(fields: readonly PackedField[], outer?: Scope): FieldLayout[] {
    const scope: Scope = { fields: new Map(), outer };
    return fields.map((field) => {
      const laid: FieldLayout = {
        name: field.name,
        type: field.type,
        typeName: field.typeName,
        isHidden: field.hidden === true,
        length: this.#extent(field.length, scope),
        count: this.#extent(field.count, scope),
        members: this.lay(field.fields ?? [], scope),
        slot: undefined,
      };
      scope.fields.set(laid.name, laid);
      return laid;
    });
  }

  #extent(value: number | string | undefined, scope: Scope): Extent | undefined {
    if (value === undefined || typeof value === 'number' || value === '*') return value;
    const field = find(value, scope);
    if (field !== undefined) field.slot ??= this.slotCount++;
    return { name: value, slot: field?.slot };
  }
}

function find(name: string, scope: Scope): FieldLayout | undefined {
  for (let at: Scope | undefined = scope; at !== undefined; at = at.outer) {
    const field = at.fields.get(name);
    if (field !== undefined) return field;
  }
  return undefined;
}
