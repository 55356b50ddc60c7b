/**
 * The numbers of the TraceLogging format: how a self-describing event is laid out for ETW. Shared by the
 * encoder and the decoder.
 *
 * Source: Windows' `TraceLoggingProvider.h`, and Microsoft's traceloggingdynamic (Python), run.
 */

/** The layout of a field's value (low 5 bits of its first byte). */
export const InType = {
  Null: 0,
  /** NUL-terminated UTF-16. */
  UnicodeString: 1,
  /** NUL-terminated bytes in a code page or UTF-8. */
  AnsiString: 2,
  Int8: 3,
  UInt8: 4,
  Int16: 5,
  UInt16: 6,
  Int32: 7,
  UInt32: 8,
  Int64: 9,
  UInt64: 10,
  Float: 11,
  Double: 12,
  Bool32: 13,
  /** A u16 count of bytes, and the bytes. Decoders treat it as two fields. */
  Binary: 14,
  Guid: 15,
  FileTime: 17,
  SystemTime: 18,
  Sid: 19,
  HexInt32: 20,
  HexInt64: 21,
  /** A u16 count of bytes, and UTF-16. */
  CountedString: 22,
  /** A u16 count of bytes, and bytes in a code page or UTF-8. */
  CountedAnsiString: 23,
  Struct: 24,
  /** A u16 count of bytes, and the bytes. */
  CountedBinary: 25,
} as const;
export type InType = (typeof InType)[keyof typeof InType];

export const IN_TYPE_MASK = 0x1f;
/** The field is an array whose length, 1 to 65535, is in the metadata. */
export const IN_TYPE_CONST_ARRAY_FLAG = 0x20;
/** The field is an array whose length, a u16, precedes the elements in the payload. */
export const IN_TYPE_VAR_ARRAY_FLAG = 0x40;
/** Both array flags together mean that a description, which follows here, defines the payload's layout. */
export const IN_TYPE_CUSTOM_FLAGS = 0x60;
/** An OutType byte follows. */
export const IN_TYPE_CHAIN_FLAG = 0x80;

/** How to display a value (low 7 bits of the second byte; for a struct: its field count). */
export const OutType = {
  Default: 0,
  NoPrint: 1,
  String: 2,
  Boolean: 3,
  Hex: 4,
  Pid: 5,
  Tid: 6,
  Port: 7,
  Ipv4: 8,
  Ipv6: 9,
  SocketAddress: 10,
  Xml: 11,
  Json: 12,
  Win32Error: 13,
  NtStatus: 14,
  HResult: 15,
  FileTime: 16,
  Signed: 17,
  Unsigned: 18,
  DateTimeCultureInsensitive: 33,
  Utf8: 35,
  Pkcs7WithTypeInfo: 36,
  CodePointer: 37,
  DateTimeUtc: 38,
} as const;
export type OutType = (typeof OutType)[keyof typeof OutType];

export const OUT_TYPE_MASK = 0x7f;
/** Tag bytes follow. */
export const OUT_TYPE_CHAIN_FLAG = 0x80;

/** The maximum size of event metadata or provider traits, as in Microsoft's C++ library. */
export const MAX_METADATA_SIZE = 0x7fff;
/** Most decoders fail above this. Arrays, and fields of type Binary, count twice. */
export const MAX_DECODABLE_FIELDS = 128;
