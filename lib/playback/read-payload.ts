/** From the types of a payload as it is written to those as a trace gives it back. */

/** Integers of 64 bits and times come back as `bigint`; GUIDs, addresses and JSON as text. */
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
  readonly [Name in keyof Written]-?:
    | ReadValue<Written[Name]>
    | (unknown extends Written[Name] ? never : undefined extends Written[Name] ? null : never);
};
