/**
 * Descriptions of payloads that are not self-describing: fields in sequence, without padding, little-endian. Used by
 * manifests, the Windows kernel, .NET's runtime and TRACE_EVENT_INFO.
 */

/**
 * - `bool8`, `bool32`: a number of 1 or 4 bytes, 0 for false and 1 for true
 * - `char8`, `char16`: a character of Latin-1, a UTF-16 unit
 * - `hex8` to `hex64`: unsigned integers shown in hex
 * - `pointer`: an unsigned integer of the writer's pointer size
 * - `port`: a u16, big-endian; `ipv4`, `ipv6`: an address of 4 or 16 bytes in network order
 * - `filetime`: 100 ns since 1601 in 8 bytes; `systemtime`: 8 u16; `guid`: 16 bytes in struct order
 * - `utf16`, `ansi`, `utf8`: text, NUL-terminated unless it has a `length`
 * - `utf16Counted`, `ansiCounted`: a u16 of bytes, then the text
 * - `binary`: `length` bytes; `binaryCounted`: a u16 of bytes, then the bytes
 * - `ipBinary`, `socketAddress`: `length` bytes that are an IP address, or one with its port (SOCKADDR)
 * - `sid`: 8 bytes and 4 per sub-authority; `wbemSid`: preceded by two pointers, or a u32 of 0 alone
 * - `struct`: `fields` in sequence
 * - `unknown`: of unknown size, so that neither it nor what follows can be read
 */
export type PackedType =
  | 'bool8'
  | 'bool32'
  | 'char8'
  | 'char16'
  | 'int8'
  | 'uint8'
  | 'hex8'
  | 'int16'
  | 'uint16'
  | 'hex16'
  | 'int32'
  | 'uint32'
  | 'hex32'
  | 'int64'
  | 'uint64'
  | 'hex64'
  | 'float'
  | 'double'
  | 'pointer'
  | 'guid'
  | 'port'
  | 'ipv4'
  | 'ipv6'
  | 'filetime'
  | 'systemtime'
  | 'utf16'
  | 'ansi'
  | 'utf8'
  | 'utf16Counted'
  | 'ansiCounted'
  | 'binary'
  | 'binaryCounted'
  | 'ipBinary'
  | 'socketAddress'
  | 'sid'
  | 'wbemSid'
  | 'struct'
  | 'unknown';

export interface PackedField {
  readonly name: string;
  readonly type: PackedType;
  /** The length of text in characters, of `binary` in bytes: a number, or the name of an earlier field. */
  readonly length?: number | string;
  /**
   * The field is an array with this many elements, or as many as an earlier field says; `*` for up to the payload's
   * end.
   */
  readonly count?: number | string;
  /** Only a struct has fields. */
  readonly fields?: readonly PackedField[];
  /** The name of an `unknown` type in the description. */
  readonly typeName?: string;
  /** Names for the field's numeric values. */
  readonly map?: PackedMap;
  /** Padding, or only the length or count of a later field: not shown. */
  readonly hidden?: true;
}

export interface PackedMap {
  readonly name: string;
  /** `value`: one name for each number. `bits`: each bit has a name. */
  readonly kind: 'value' | 'bits';
  readonly names: ReadonlyMap<number, string>;
}

/** What is known about an event apart from its bytes. */
export interface EventDescription {
  readonly provider?: string;
  /** See `TraceEvent.name`. */
  readonly name: string;
  readonly taskName?: string;
  readonly opcodeName?: string;
  /** The opcode stands here only if the event itself does not contain it. */
  readonly opcode?: number;
  readonly fields: readonly PackedField[];
  /** The first field is `%1`, and so on; `%n`, `%t` and `%%` are as in message files. */
  readonly message?: string;
}
