/** What decoders produce from the fields of an event, in any format. */

/**
 * - integers up to 32 bits, ports, error codes: `number`
 * - 64-bit integers, times: `bigint`, or `number` for 32-bit times
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
 * @typeParam Head what every field of the format has: its name and its description
 */
export type ShapedField<Head, V> = Head &
  (
    | { readonly shape: 'value'; readonly value: V }
    | { readonly shape: 'array'; readonly value: readonly V[] }
    | { readonly shape: 'struct'; readonly value: readonly ShapedField<Head, V>[] }
    | { readonly shape: 'structArray'; readonly value: readonly (readonly ShapedField<Head, V>[])[] }
  );

/** Fields as the values of a plain object; structs are nested objects. */
export interface Payload {
  [name: string]: Value | readonly Value[] | Payload | readonly Payload[];
}

/** Creates payloads that inherit nothing. */
export type PayloadClass = new () => Payload;

/**
 * A class for payloads with the same fields, for which V8 then knows how much room they need. Their prototype is empty:
 * without one, V8 would turn each of them into a hash table, which takes five times as long.
 */
export function payloadClass(): PayloadClass {
  function Payload() {}
  Payload.prototype = NOTHING;
  return Payload as unknown as PayloadClass;
}

const NOTHING: object = Object.freeze(Object.create(null));

/** The class of payloads with any fields. */
export const EmptyPayload: PayloadClass = payloadClass();

/**
 * Fields as a plain object that inherits nothing, in order as far as JavaScript preserves it (names that are array
 * indices come first). If fields have the same name, the last one wins.
 */
export function payloadOf(fields: readonly ShapedField<{ readonly name: string }, Value>[]): Payload {
  const payload = new EmptyPayload();
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
