/** The description of an event, independent of any format: the input of every encoder. */

import type { FieldMap } from './field-map.ts';

/** The field types of events. `struct` is a group of named fields. */
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
 * The types whose values have their own length. They cannot be nullable: null is encoded as length 0, which already
 * means an empty string or no bytes.
 */
export const COUNTED_TYPES = ['string', 'utf16', 'json', 'binary'] as const satisfies readonly FieldType[];
export type NullableFieldType = Exclude<FieldType, (typeof COUNTED_TYPES)[number]>;

/** One field: a value of a type, or a struct of further fields; or an array of either. */
export type FieldSchema = {
  /** The tag has the bits of an event's, and is absent for 0. */ readonly tag?: number;
} & (
  | {
      readonly name: string;
      readonly type: FieldType;
      readonly nullable: boolean;
      readonly array: boolean;
      readonly map?: FieldMap;
    }
  | {
      readonly name: string;
      readonly type: 'struct';
      readonly fields: readonly FieldSchema[];
      readonly array: boolean;
    }
);

/** The maps of the fields and of those in their structs. */
export function mapsOf(fields: readonly FieldSchema[]): FieldMap[] {
  const maps: FieldMap[] = [];
  for (const field of fields) {
    if (field.type === 'struct') maps.push(...mapsOf(field.fields));
    else if (field.map !== undefined) maps.push(field.map);
  }
  return maps;
}

/** One event of a provider, complete with all defaults. */
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
  /** 28 bits, as in TraceLogging; EventHeader has room for the lower 16. */
  readonly tag: number;
  readonly fields: readonly FieldSchema[];
  /** The channel of the Windows Event Log, 16 to 19; see `Channel`. */
  readonly channel?: number;
  /** A message with `{0}` for the first field's value. */
  readonly message?: string;
}

/** All 64 keywords: for a session that wants every event. */
export const ALL_KEYWORDS = 0xffff_ffff_ffff_ffffn;

/**
 * Everything that readers learn about an event from its provider and id, as text: equal for the same event on all
 * threads. Without the task, which for most events follows from the id. The name comes first.
 */
export function layoutText(schema: EventSchema): string {
  const { name, id, version, level, keywords, opcode, tag, message = '', channel, fields } = schema;
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
    channel,
  ]);
}

/** Properties in a fixed order, however the schema was created. */
function fieldLayout(field: FieldSchema): readonly unknown[] {
  const { name, type, array, tag } = field;
  const layout =
    type === 'struct'
      ? [name, array, field.fields.map(fieldLayout)]
      : [name, array, type, field.nullable, ...(field.map === undefined ? [] : [field.map])];
  return tag === undefined ? layout : [...layout, tag];
}

/** The event's name from `layoutText`. */
export function nameInLayout(layout: string): string {
  return (JSON.parse(layout) as [string])[0];
}

/** A code unit of a name takes at most 3 bytes of UTF-8; what else describes a field takes less than this in any format. */
const MOST_UTF8_BYTES = 3;
const MOST_TYPE_BYTES = 16;

/**
 * More bytes than any format needs for the names and types of the event: describing each event to measure it would
 * be a third of the time that its definition takes.
 */
export function mostDescriptionBytes({
  name,
  fields,
}: {
  readonly name: string;
  readonly fields: readonly FieldSchema[];
}): number {
  let bytes = name.length * MOST_UTF8_BYTES + MOST_TYPE_BYTES;
  for (const field of fields) {
    bytes +=
      field.type === 'struct'
        ? mostDescriptionBytes(field)
        : MOST_TYPE_BYTES + field.name.length * MOST_UTF8_BYTES;
  }
  return bytes;
}
