/**
 * The metadata extension of an EventHeader event: its name, and the name, encoding and format of every field, in
 * payload order. Built once per event, at definition.
 *
 * Layout (little-endian): event name NUL, then for each field: name NUL, encoding u8, [format u8], [tag u16], [element
 * count u16]. Source: LinuxTracepoints `eventheader.h`.
 */
import {
  ENCODING_CHAIN_FLAG,
  ENCODING_CONST_ARRAY_FLAG,
  ENCODING_VAR_ARRAY_FLAG,
  Encoding,
  FORMAT_CHAIN_FLAG,
  Format,
} from './constants.ts';

/** One field as described in the metadata. */
export interface FieldMetadata {
  readonly name: string;
  readonly encoding: Encoding;
  /** If absent, the encoding's default. Ignored for a struct, whose format byte is its field count. */
  readonly format?: Format;
  /** 0 to 65535; absent or 0: none. */
  readonly tag?: number;
  /** `'variable'`: the count is in the payload. A number, 1 to 65535: the count is here. */
  readonly array?: 'variable' | number;
  /** The fields of a struct, 1 to 127. */
  readonly fields?: readonly FieldMetadata[];
}

/**
 * The bytes of the extension's content, without its 4-byte header.
 *
 * @param name the event's name, without NUL; its attributes, if any, follow it after `;`
 */
export function encodeMetadata(name: string, fields: readonly FieldMetadata[]): Uint8Array {
  const bytes: number[] = [];
  pushName(bytes, name);
  for (const field of fields) pushField(bytes, field);
  return Uint8Array.from(bytes);
}

function pushField(bytes: number[], field: FieldMetadata): void {
  pushName(bytes, field.name);
  const tag = field.tag ?? 0;
  const format =
    field.encoding === Encoding.Struct ? (field.fields?.length ?? 0) : (field.format ?? Format.Default);
  let encoding: number = field.encoding;
  if (field.array === 'variable') encoding |= ENCODING_VAR_ARRAY_FLAG;
  else if (field.array !== undefined) encoding |= ENCODING_CONST_ARRAY_FLAG;

  // The shortest form: a format byte only if it is not the default.
  if (format !== Format.Default || tag !== 0) {
    bytes.push(encoding | ENCODING_CHAIN_FLAG, tag === 0 ? format : format | FORMAT_CHAIN_FLAG);
    if (tag !== 0) pushUint16(bytes, tag);
  } else {
    bytes.push(encoding);
  }
  if (typeof field.array === 'number') pushUint16(bytes, field.array);
  for (const member of field.fields ?? []) pushField(bytes, member);
}

function pushName(bytes: number[], name: string): void {
  for (const byte of new TextEncoder().encode(name)) bytes.push(byte);
  bytes.push(0);
}

function pushUint16(bytes: number[], value: number): void {
  bytes.push(value & 0xff, value >>> 8);
}
