/**
 * How an application defines an event's fields, and the types of the values that follow.
 *
 * `'uint32'` is a value, `'uint32?'` a nullable one, `'uint32[]'` any number of them, `{ ... }` a struct,
 * `[{ ... }]` any number of structs, `valueMap(...)` a number with a name, and `[valueMap(...)]` any number of them.
 */
import type { FieldType, NullableFieldType } from '../wire/schema.ts';
import type { MapDefinition } from './field-maps.ts';

/** A field: its type's name, the fields of a struct, or the names of its numbers. */
export type FieldDefinition =
  | FieldType
  | `${NullableFieldType}?`
  | `${FieldType}[]`
  | `${NullableFieldType}?[]`
  | FieldDefinitions
  | MapDefinition
  | readonly [FieldDefinitions | MapDefinition];

/** Fields by name, in the order of the payload. */
export interface FieldDefinitions {
  readonly [name: string]: FieldDefinition;
}

type NumberType =
  | 'int8'
  | 'int16'
  | 'int32'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'hex8'
  | 'hex16'
  | 'hex32'
  | 'float'
  | 'double'
  | 'port'
  | 'errno'
  | 'pid';
type BigintType = 'int64' | 'uint64' | 'hex64';
type TextType = 'string' | 'utf16';

/** The values that a field of the type accepts. */
type ValueOfType<Type extends FieldType> = Type extends NumberType
  ? number
  : Type extends BigintType
    ? bigint | number
    : Type extends TextType
      ? string
      : Type extends 'bool'
        ? boolean
        : Type extends 'binary'
          ? Uint8Array
          : Type extends 'guid' | 'ipAddress'
            ? string | Uint8Array
            : Type extends 'time'
              ? Date | number
              : unknown;

type NumberArray =
  | Int8Array
  | Int16Array
  | Int32Array
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Float32Array
  | Float64Array;

type ArrayOfType<Type extends FieldType> =
  | readonly ValueOfType<Type>[]
  | (Type extends NumberType
      ? NumberArray
      : Type extends BigintType
        ? BigInt64Array | BigUint64Array
        : never);

/** The values that a defined field accepts. */
type ValueOf<Field> = Field extends `${infer Type extends NullableFieldType}?[]`
  ? readonly (ValueOfType<Type> | null | undefined)[]
  : Field extends `${infer Type extends FieldType}[]`
    ? ArrayOfType<Type>
    : Field extends `${infer Type extends NullableFieldType}?`
      ? ValueOfType<Type> | null
      : Field extends FieldType
        ? ValueOfType<Field>
        : Field extends MapDefinition
          ? number
          : Field extends readonly [MapDefinition]
            ? ArrayOfType<'uint32'>
            : Field extends readonly [infer Struct extends FieldDefinitions]
              ? readonly PayloadOf<Struct>[]
              : Field extends FieldDefinitions
                ? PayloadOf<Field>
                : never;

type NullableNames<Fields> = {
  [Name in keyof Fields]: Fields[Name] extends `${NullableFieldType}?` ? Name : never;
}[keyof Fields];

/** The payload of an event with these fields. A nullable field may be omitted. */
export type PayloadOf<Fields extends FieldDefinitions> = {
  readonly [Name in Exclude<keyof Fields, NullableNames<Fields>>]: ValueOf<Fields[Name]>;
} & {
  readonly [Name in NullableNames<Fields>]?: ValueOf<Fields[Name]> | undefined;
};
