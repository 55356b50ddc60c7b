/** From the types of a payload as it is written to those as a trace gives it back. */

/** 64-bit integers and times come back as `bigint`, GUIDs and addresses as text, arrays as plain arrays. */
type ReadValue<Written> =
  Exclude<Written, undefined> extends infer Value
    ? unknown extends Value
      ? string
      : null extends Value
        ? ReadValue<NonNullable<Value>> | null
        : [Extract<Value, bigint | Date>] extends [never]
          ? [Extract<Value, string>] extends [never]
            ? ReadObject<Value>
            : string
          : bigint
    : never;

type ReadObject<Value> = [Value] extends [number | boolean | Uint8Array]
  ? Value
  : [Extract<Value, readonly unknown[]>] extends [never]
    ? ReadPayload<Value>
    : Extract<Value, readonly unknown[]> extends readonly (infer Element)[]
      ? readonly ReadValue<Element>[]
      : never;

/** The payload of a trace's event that was written with this one. A nullable field is always there. */
export type ReadPayload<Written> = {
  readonly [Name in keyof Written]-?: undefined extends Written[Name]
    ? ReadValue<Written[Name]> | null
    : ReadValue<Written[Name]>;
};
