/** Converts the types of a written payload to those read back from a trace. */

/** 64-bit integers and times come back as `bigint`; GUIDs, addresses and JSON as strings. */
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

/** The payload of the trace event for this written payload. Nullable fields are always present. */
export type ReadPayload<Written> = {
  readonly [Name in keyof Written]-?:
    | ReadValue<Written[Name]>
    | (unknown extends Written[Name] ? never : undefined extends Written[Name] ? null : never);
};
