/**
 * What decoders make of the fields of an event, whatever its format.
 */

/**
 * - integers of up to 32 bits, ports, error codes: `number`
 * - integers of 64 bits, times: `bigint`, or `number` where the time has 32 bits
 * - booleans: `boolean`; a number other than 0 and 1 stays a `number`
 * - floats: `number`
 * - text, GUIDs (lower case), IP addresses, SIDs: `string`
 * - binary: `Uint8Array`, a view of the event's own bytes
 * - an absent value of fixed size: `null`
 */
export type Value = null | boolean | number | bigint | string | Uint8Array;

/**
 * A decoded field: a value, an array of values, a struct (its fields), or an array of structs.
 *
 * @typeParam Head what every field of the format has: its name, and how it was described
 */
export type ShapedField<Head, V> = Head &
  (
    | { readonly shape: 'value'; readonly value: V }
    | { readonly shape: 'array'; readonly value: readonly V[] }
    | { readonly shape: 'struct'; readonly value: readonly ShapedField<Head, V>[] }
    | { readonly shape: 'structArray'; readonly value: readonly (readonly ShapedField<Head, V>[])[] }
  );

/** Fields as a plain object's values; structs are objects of their own. */
export interface Payload {
  [name: string]: Value | readonly Value[] | Payload | readonly Payload[];
}

/**
 * Fields as a plain object without prototype, in their order as far as JavaScript keeps it (names that are
 * array indices go first). Of fields with the same name the last one stays.
 */
export function payloadOf(fields: readonly ShapedField<{ readonly name: string }, Value>[]): Payload {
  const payload: Payload = Object.create(null);
  for (const field of fields) {
    switch (field.shape) {
      case 'value':
      case 'array':
        payload[field.name] = field.value;
        break;
      case 'struct':
        payload[field.name] = payloadOf(field.value);
        break;
      case 'structArray':
        payload[field.name] = field.value.map(payloadOf);
        break;
    }
  }
  return payload;
}
