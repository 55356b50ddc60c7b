/** How a protobuf message is described: its fields by the names that its objects have. */

/** `hex` and `base64` are bytes as text. */
export type Scalar = 'string' | 'hex' | 'base64' | 'bytes' | 'bool' | 'int' | 'uint' | 'fixed64' | 'double';

export type FieldType = Scalar | (() => Message);

/** The number and type of each field. Numbers that are `packed` share one key, as proto3 has them. */
export interface Message {
  readonly [field: string]: readonly [number: number, type: FieldType, repeated?: 'repeated' | 'packed'];
}

export const WireType = { Varint: 0, Fixed64: 1, Counted: 2, Fixed32: 5 } as const;
