/**
 * The metadata of a TraceLogging event: its tag and name, and the name and types of every field, in payload order.
 * Built once per event, at definition.
 *
 * Layout (little-endian): size u16 (of all), tag bytes, event name NUL, then for each field: name NUL, InType u8,
 * [OutType u8], [tag bytes], [element count u16]. Source: Windows' `TraceLoggingProvider.h`.
 */
import {
  IN_TYPE_CHAIN_FLAG,
  IN_TYPE_CONST_ARRAY_FLAG,
  IN_TYPE_VAR_ARRAY_FLAG,
  InType,
  OUT_TYPE_CHAIN_FLAG,
  OutType,
} from './constants.ts';
import { encodeTag } from './tag.ts';

/** One field as described in the metadata. */
export interface FieldMetadata {
  readonly name: string;
  readonly inType: InType;
  /** If absent, the InType's default. Ignored for a struct, whose OutType byte is its field count. */
  readonly outType?: OutType;
  /** 28 bits; absent or 0: none. */
  readonly tag?: number;
  /** `'variable'`: the count is in the payload. A number, 1 to 65535: the count is here. */
  readonly array?: 'variable' | number;
  /** The fields of a struct, 1 to 127. */
  readonly fields?: readonly FieldMetadata[];
}

/**
 * The bytes of the metadata, including its size.
 *
 * @param name the event's, without NUL
 * @param tag 28 bits
 */
export function encodeMetadata(name: string, tag: number, fields: readonly FieldMetadata[]): Uint8Array {
  const bytes: number[] = [0, 0, ...encodeTag(tag)];
  pushName(bytes, name);
  for (const field of fields) pushField(bytes, field);
  bytes[0] = bytes.length & 0xff;
  bytes[1] = bytes.length >>> 8;
  return Uint8Array.from(bytes);
}

function pushField(bytes: number[], field: FieldMetadata): void {
  pushName(bytes, field.name);
  const tag = field.tag ?? 0;
  const outType =
    field.inType === InType.Struct ? (field.fields?.length ?? 0) : (field.outType ?? OutType.Default);
  let inType: number = field.inType;
  if (field.array === 'variable') inType |= IN_TYPE_VAR_ARRAY_FLAG;
  else if (field.array !== undefined) inType |= IN_TYPE_CONST_ARRAY_FLAG;

  // The shortest form: an OutType byte only if it is not the default.
  if (outType !== OutType.Default || tag !== 0) {
    bytes.push(inType | IN_TYPE_CHAIN_FLAG);
    if (tag === 0) bytes.push(outType);
    else bytes.push(outType | OUT_TYPE_CHAIN_FLAG, ...encodeTag(tag));
  } else {
    bytes.push(inType);
  }
  if (typeof field.array === 'number') bytes.push(field.array & 0xff, field.array >>> 8);
  for (const member of field.fields ?? []) pushField(bytes, member);
}

function pushName(bytes: number[], name: string): void {
  for (const byte of new TextEncoder().encode(name)) bytes.push(byte);
  bytes.push(0);
}
