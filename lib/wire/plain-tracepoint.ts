/**
 * Plain tracepoints: one per event, with fields known to the kernel, for bpftrace, ftrace's filters and triggers, and
 * every other tool. The activity ids come first, each as two u64 whose hexadecimal digits are those of the GUID's text.
 * The other fields follow in order of alignment, which eBPF programs need; texts and bytes follow the fields.
 *
 * Source: Linux `Documentation/trace/user_events.rst`.
 */

import { EventEncoder, type SetActivityIds } from './event-encoder.ts';
import { tracepointProviderName } from './eventheader/tracepoint-name.ts';
import type { GuidWords } from './guid.ts';
import { addressInto, ipAddressText, MOST_ADDRESS_BYTES } from './ip-address.ts';
import type { EventSchema, FieldSchema, FieldType } from './schema.ts';
import { SCRATCH_LIMIT, scratch, scratchView } from './scratch.ts';
import { WRITE_INDEX_SIZE } from './user-events.ts';
import { writeGuid } from './values/binary.ts';
import { countBadValue, type FieldsWriter, noRoom, type ValueWriter } from './values/faults.ts';
import * as numbers from './values/numbers.ts';
import { jsonOf, textOf, writeString } from './values/text.ts';

/** The maximum size of a tracepoint definition in the kernel, in bytes. */
const MAX_DEFINITION = 511;
const MAX_NAME = 255;

const ID_FIELDS = ['activity', 'related'];
const IDS_SIZE = 32;

interface Layout {
  /** The type as declared. */
  readonly type: string;
  readonly alignment: 1 | 2 | 4 | 8;
  /** Writes a text or bytes, which follow the fields. */
  readonly isBehind?: true;
  readonly write: ValueWriter;
}

const writePlainText: ValueWriter = (offset, value) => writeText(offset, textOf(value));

/** UTF-8 up to a NUL, which the kernel requires. A text that contains a NUL ends there, and counts as a bad value. */
function writeText(offset: number, text: string): number {
  const nul = text.indexOf('\0');
  if (nul >= 0) countBadValue();
  // The text alone, without the count that the writer puts before it.
  const start = offset - 2;
  const before = scratchView.getUint16(start);
  const end = writeString(start, nul < 0 ? text : text.slice(0, nul));
  scratchView.setUint16(start, before);
  if (end === start) return offset;
  scratch[end] = 0;
  return end + 1;
}

const writeBytes: ValueWriter = (offset, value) => {
  if (!(value instanceof Uint8Array)) countBadValue();
  else if (offset + value.length > SCRATCH_LIMIT) return noRoom(offset);
  else scratch.set(value, offset);
  return value instanceof Uint8Array ? offset + value.length : offset;
};

const address = new Uint8Array(MOST_ADDRESS_BYTES);
const writeAddressText: ValueWriter = (offset, value) => {
  const size = addressInto(value, address, 0);
  if (size === 0) countBadValue();
  return writeText(offset, size === 0 ? '' : ipAddressText(address.subarray(0, size)));
};

/** Writes two numbers: the bytes of each half reversed. */
const writeGuidHalves: ValueWriter = (offset, value) => {
  const end = writeGuid(offset, value);
  scratch.subarray(offset, offset + 8).reverse();
  scratch.subarray(offset + 8, end).reverse();
  return end;
};

/** A Date, or milliseconds since 1970, in nanoseconds. */
const writeNanoseconds: ValueWriter = (offset, value) => {
  const milliseconds =
    value instanceof Date ? value.getTime() : typeof value === 'number' ? value : Number.NaN;
  const microseconds = Math.round(milliseconds * 1000);
  if (Number.isSafeInteger(microseconds)) {
    scratchView.setBigInt64(offset, BigInt(microseconds) * 1000n, true);
    return offset + 8;
  }
  countBadValue();
  return numbers.writeInt64(offset, 0);
};

const text = (write: ValueWriter): Layout => ({
  type: '__rel_loc char[]',
  alignment: 4,
  isBehind: true,
  write,
});
const integer = (type: string, alignment: Layout['alignment'], write: ValueWriter): Layout => ({
  type,
  alignment,
  write,
});

/** No floating-point numbers, because the kernel has none. */
const LAYOUTS: Readonly<Partial<Record<FieldType, Layout>>> = {
  bool: integer('u8', 1, numbers.writeBool),
  int8: integer('s8', 1, numbers.writeInt8),
  int16: integer('s16', 2, numbers.writeInt16),
  int32: integer('s32', 4, numbers.writeInt32),
  int64: integer('s64', 8, numbers.writeInt64),
  uint8: integer('u8', 1, numbers.writeUint8),
  uint16: integer('u16', 2, numbers.writeUint16),
  uint32: integer('u32', 4, numbers.writeUint32),
  uint64: integer('u64', 8, numbers.writeUint64),
  hex8: integer('u8', 1, numbers.writeUint8),
  hex16: integer('u16', 2, numbers.writeUint16),
  hex32: integer('u32', 4, numbers.writeUint32),
  hex64: integer('u64', 8, numbers.writeUint64),
  string: text(writePlainText),
  utf16: text(writePlainText),
  json: text((offset, value) => writeText(offset, jsonOf(value))),
  binary: { ...text(writeBytes), type: '__rel_loc u8[]' },
  guid: integer('u64', 8, writeGuidHalves),
  time: integer('s64', 8, writeNanoseconds),
  ipAddress: text(writeAddressText),
  port: integer('u16', 2, numbers.writeUint16),
  errno: integer('s32', 4, numbers.writeInt32),
  pid: integer('u32', 4, numbers.writeUint32),
};

/** Why the event cannot have a plain tracepoint, as the rest of a sentence about it; undefined if it can. */
export function plainTracepointProblem(provider: string, schema: EventSchema): string | undefined {
  const names = new Set(declaredNames(ID_FIELDS));
  for (const field of schema.fields) {
    const kind = kindProblem(field);
    if (kind !== undefined) {
      return `the field "${field.name}" is ${kind}, which plain tracepoints cannot have.`;
    }
    for (const name of declaredFields(field).map(([, declared]) => declared)) {
      if (names.has(name)) return `the plain tracepoint would have two fields "${name}".`;
      names.add(name);
    }
  }
  const name = plainTracepointName(provider, schema.name);
  const size = Buffer.byteLength(plainTracepointDefinition(provider, schema));
  if (name.length <= MAX_NAME && size <= MAX_DEFINITION) return undefined;
  return (
    `its plain tracepoint has a name of ${name.length} characters and ${size} with its fields; ` +
    `the kernel accepts ${MAX_NAME} and ${MAX_DEFINITION}.`
  );
}

function kindProblem(field: FieldSchema): string | undefined {
  if (field.type === 'struct') return 'a struct';
  if (field.array) return 'an array';
  if (field.nullable) return 'nullable';
  return LAYOUTS[field.type] === undefined ? `of type ${field.type}` : undefined;
}

export function plainTracepointName(provider: string, event: string): string {
  return tracepointProviderName(`${provider}_${event}`);
}

/** The name_args string for DIAG_IOCSREG. */
export function plainTracepointDefinition(provider: string, schema: EventSchema): string {
  const ids = declaredNames(ID_FIELDS).map((name) => `u64 ${name}`);
  const fields = inOrder(schema)
    .flatMap(declaredFields)
    .map(([type, name]) => `${type} ${name}`);
  return `${plainTracepointName(provider, schema.name)} ${[...ids, ...fields].join('; ')}`;
}

/** Returns fields with the types and names declared to the kernel. */
function declaredFields(field: FieldSchema): (readonly [type: string, name: string])[] {
  const name = tracepointProviderName(field.name);
  const type = layoutOf(field).type;
  return (field.type === 'guid' ? declaredNames([name]) : [name]).map((each) => [type, each]);
}

function declaredNames(guids: readonly string[]): string[] {
  return guids.flatMap((name) => [`${name}_hi`, `${name}_lo`]);
}

function inOrder({ fields }: EventSchema): FieldSchema[] {
  return [...fields].sort((first, second) => layoutOf(second).alignment - layoutOf(first).alignment);
}

function layoutOf({ type }: FieldSchema): Layout {
  return LAYOUTS[type as FieldType] as Layout;
}

export class PlainTracepointEncoder extends EventEncoder {
  constructor(schema: EventSchema) {
    // Three functions, although of the same length: bytes left from another event must not remain.
    const prefix = () => new Uint8Array(WRITE_INDEX_SIZE + IDS_SIZE);
    const prefixes = { plain: prefix(), withActivity: prefix(), withRelated: prefix() };
    super(prefixes, setIds, fieldsWriter(schema));
  }
}

/** Texts and bytes that follow the fields; a field contains their size and distance. */
function fieldsWriter(schema: EventSchema): FieldsWriter {
  const fields = inOrder(schema).map((field) => ({ name: field.name, ...layoutOf(field) }));
  const guids = schema.fields.filter(({ type }) => type === 'guid').length;
  const fixedSize = fields.reduce((size, { alignment }) => size + alignment, 8 * guids);
  return (offset, payload) => {
    let at = offset;
    let behind = offset + fixedSize;
    for (const { name, isBehind, write } of fields) {
      if (isBehind === undefined) {
        at = write(at, payload[name]);
        continue;
      }
      const end = write(behind, payload[name]);
      scratchView.setUint32(at, ((end - behind) << 16) | ((behind - at - 4) & 0xffff), true);
      at += 4;
      behind = end;
    }
    return behind;
  };
}

const setIds: SetActivityIds = (view, activityId, relatedActivityId) => {
  setHalves(view, WRITE_INDEX_SIZE, activityId);
  if (relatedActivityId !== undefined) setHalves(view, WRITE_INDEX_SIZE + 16, relatedActivityId);
};

/** The words are in memory order, which for the first half of a GUID is not that of its text. */
function setHalves(view: DataView, offset: number, { w0, w1, w2, w3 }: GuidWords): void {
  view.setInt32(offset, (w1 << 16) | (w1 >>> 16), true);
  view.setInt32(offset + 4, w0, true);
  view.setInt32(offset + 8, w3, false);
  view.setInt32(offset + 12, w2, false);
}
