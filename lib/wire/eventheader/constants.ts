/**
 * The numbers of the EventHeader format: how a self-describing event is laid out in the payload of a
 * Linux user_events tracepoint. Shared by the encoder and the decoder.
 *
 * Source: Microsoft's LinuxTracepoints, `eventheader.h`, v1.4.0, checked against its C++ and Rust decoders.
 */

/** Bits of the header's first byte. */
export const HeaderFlag = {
  Pointer64: 0x01,
  LittleEndian: 0x02,
  Extension: 0x04,
} as const;

/** The size of the fixed header: flags u8, version u8, id u16, tag u16, opcode u8, level u8. */
export const HEADER_SIZE = 8;
/** The size of an extension's own header: size u16, kind u16. */
export const EXTENSION_HEAD_SIZE = 4;

/** The contents of an extension block (low 15 bits of its kind). */
export const ExtensionKind = {
  Invalid: 0,
  Metadata: 1,
  ActivityId: 2,
} as const;
/** An extension's kind has this bit if another extension follows. */
export const EXTENSION_CHAIN_FLAG = 0x8000;

/** The layout of a field's value (low 5 bits of the encoding byte). */
export const Encoding = {
  Invalid: 0,
  Struct: 1,
  Value8: 2,
  Value16: 3,
  Value32: 4,
  Value64: 5,
  Value128: 6,
  ZStringChar8: 7,
  ZStringChar16: 8,
  ZStringChar32: 9,
  StringLength16Char8: 10,
  StringLength16Char16: 11,
  StringLength16Char32: 12,
  BinaryLength16Char8: 13,
} as const;
export type Encoding = (typeof Encoding)[keyof typeof Encoding];

export const ENCODING_VALUE_MASK = 0x1f;
/** The field is an array whose length, 1 to 65535, is in the metadata. */
export const ENCODING_CONST_ARRAY_FLAG = 0x20;
/** The field is an array whose length, a u16, precedes the elements in the payload. */
export const ENCODING_VAR_ARRAY_FLAG = 0x40;
/** A format byte follows the encoding byte. */
export const ENCODING_CHAIN_FLAG = 0x80;

/** How to display a value (low 7 bits of the format byte; for a struct: its field count). */
export const Format = {
  Default: 0,
  UnsignedInt: 1,
  SignedInt: 2,
  HexInt: 3,
  Errno: 4,
  Pid: 5,
  Time: 6,
  Boolean: 7,
  Float: 8,
  HexBytes: 9,
  String8: 10,
  StringUtf: 11,
  StringUtfBom: 12,
  StringXml: 13,
  StringJson: 14,
  Uuid: 15,
  Port: 16,
  IpAddress: 17,
  IpAddressObsolete: 18,
} as const;
export type Format = (typeof Format)[keyof typeof Format];

export const FORMAT_VALUE_MASK = 0x7f;
/** A u16 field tag follows the format byte. */
export const FORMAT_CHAIN_FLAG = 0x80;

/** Limits of Microsoft's decoders; perf-decode cannot read events beyond them. */
export const MAX_TOP_LEVEL_FIELDS = 255;
export const MAX_STRUCT_FIELDS = 127;
export const MAX_STRUCT_DEPTH = 8;
/** The length of an event name in bytes: with 256 and more, the C++ formatter never terminates. */
export const MAX_EVENT_NAME_BYTES = 255;
/** The length of a tracepoint name, and of provider name plus group name, in characters. */
export const MAX_TRACEPOINT_NAME_LENGTH = 255;
export const MAX_PROVIDER_AND_GROUP_LENGTH = 233;
