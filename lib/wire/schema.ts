/**
 * What an event looks like, said once and in no format's terms: every encoder takes this.
 */

/** The field types that an event may have. `struct` stands for a group of named fields. */
export const FIELD_TYPES = [
  'bool',
  'int8',
  'int16',
  'int32',
  'int64',
  'uint8',
  'uint16',
  'uint32',
  'uint64',
  'hex8',
  'hex16',
  'hex32',
  'hex64',
  'float',
  'double',
  'string',
  'utf16',
  'json',
  'binary',
  'guid',
  'time',
  'ipAddress',
  'port',
  'errno',
  'pid',
] as const;
export type FieldType = (typeof FIELD_TYPES)[number];

/**
 * The types whose values have a length of their own. They cannot be nullable: a null is told by a length of 0,
 * which is an empty text or no bytes already.
 */
export const COUNTED_TYPES = ['string', 'utf16', 'json', 'binary'] as const satisfies readonly FieldType[];
export type NullableFieldType = Exclude<FieldType, (typeof COUNTED_TYPES)[number]>;

/** One field: a value of a type, or a struct of further fields; or an array of either. */
export type FieldSchema =
  | {
      readonly name: string;
      readonly type: FieldType;
      readonly nullable: boolean;
      readonly array: boolean;
    }
  | {
      readonly name: string;
      readonly type: 'struct';
      readonly fields: readonly FieldSchema[];
      readonly array: boolean;
    };

/** One event of a provider, complete: every default has been filled in. */
export interface EventSchema {
  readonly name: string;
  /** 1 to 65535, unique in the provider. */
  readonly id: number;
  /** 0 to 255. */
  readonly version: number;
  /** 1 to 255; see `Level`. */
  readonly level: number;
  /** 64 bits. */
  readonly keywords: bigint;
  /** 0 to 255; see `Opcode`. */
  readonly opcode: number;
  /** 0 to 65535. */
  readonly task: number;
  /** 0 to 65535: what both EventHeader (16 bits) and TraceLogging (28 bits) can carry. */
  readonly tag: number;
  readonly fields: readonly FieldSchema[];
  /** The event in words, with `{0}` where the first field's value belongs. */
  readonly message?: string;
}

/** All 64 keywords: what a session asks for that wants every event. */
export const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;

/**
 * All that readers learn of an event by its provider and id, as text: the same for the same event on all threads.
 * Without the task, which most events have by their ids. The name comes first.
 */
export function layoutText(schema: EventSchema): string {
  const { name, id, version, level, keywords, opcode, tag, message = '', fields } = schema;
  const isSelfDescribing = id === 0;
  return JSON.stringify([
    name,
    isSelfDescribing,
    version,
    level,
    String(keywords),
    opcode,
    tag,
    message,
    fields.map(fieldLayout),
  ]);
}

/** In one order of properties, whoever made the schema. */
function fieldLayout(field: FieldSchema): readonly unknown[] {
  const { name, type, array } = field;
  return type === 'struct'
    ? [name, array, field.fields.map(fieldLayout)]
    : [name, array, type, field.nullable];
}

/** The event's name out of `layoutText`. */
export function nameInLayout(layout: string): string {
  return (JSON.parse(layout) as [string])[0];
}
