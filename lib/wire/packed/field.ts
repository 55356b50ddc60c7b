/**
 * How the payloads of events are described that do not describe themselves: fields one after the other,
 * without padding, little-endian. Manifests, Windows' kernel, .NET's runtime and TRACE_EVENT_INFO all do so.
 */

/**
 * - `bool8`, `bool32`: a number of 1 or 4 bytes, 0 for false and 1 for true
 * - `char16`: a UTF-16 unit
 * - `hex8` to `hex64`: unsigned integers that people read in hex
 * - `pointer`: an unsigned integer of the pointer size of whoever wrote the event
 * - `port`: a u16, big-endian; `ipv4`, `ipv6`: an address of 4 or 16 bytes in network order
 * - `filetime`: 100 ns since 1601 in 8 bytes; `systemtime`: 8 u16; `guid`: 16 bytes in struct order
 * - `utf16`, `ansi`, `utf8`: text, NUL-terminated unless `length` is given
 * - `utf16Counted`, `ansiCounted`: a u16 of bytes, then the text
 * - `binary`: `length` bytes; `binaryCounted`: a u16 of bytes, then the bytes
 * - `ipBinary`, `socketAddress`: `length` bytes that are an IP address, or one with its port (SOCKADDR)
 * - `sid`: 8 bytes and 4 for each sub-authority; `wbemSid`: two pointers before it, or a u32 of 0 alone
 * - `struct`: `fields`, one after the other
 * - `unknown`: of a size that nobody knows, so that neither it nor what follows can be read
 */
export type PackedType =
  | 'bool8'
  | 'bool32'
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
  /** Of text in characters, of `binary` in bytes: a number, or the name of an earlier field. */
  readonly length?: number | string;
  /** The field is an array of so many elements, or as many as an earlier field says; `*`: to the payload's end. */
  readonly count?: number | string;
  /** Of a struct. */
  readonly fields?: readonly PackedField[];
  /** Of `unknown`: what its describer calls the type. */
  readonly typeName?: string;
  /** Names of the numbers that the field may have. */
  readonly map?: PackedMap;
  /** Padding, or only tells the length or count of a later field: not shown. */
  readonly hidden?: true;
}

export interface PackedMap {
  readonly name: string;
  /** `value`: one name for each number. `bits`: the numbers are bits, each with its name. */
  readonly kind: 'value' | 'bits';
  readonly names: ReadonlyMap<number, string>;
}

/** What is known of one event apart from its bytes. */
export interface EventDescription {
  readonly provider?: string;
  /** See `TraceEvent.name`. */
  readonly name: string;
  readonly taskName?: string;
  readonly opcodeName?: string;
  /** Where the event itself does not tell it. */
  readonly opcode?: number;
  readonly fields: readonly PackedField[];
  /** With `%1` for the first field, and so on; `%n`, `%t` and `%%` as in message files. */
  readonly message?: string;
}
