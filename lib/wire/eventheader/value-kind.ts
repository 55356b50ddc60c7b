/**
 * What a value's encoding, format and length mean together: how to read it. The same table serves the decoder to
 * JavaScript values and the text renderer.
 *
 * Source: LinuxTracepoints `eventheader.h` and the choices of its C++ formatter. A format that does not suit the
 * encoding means the encoding's default.
 */
import { Encoding, Format } from './constants.ts';

/** `signed`, `unsigned` and `hex` integers have 1, 2, 4 or 8 bytes. */
export type ValueKind =
  | 'null'
  | 'unsigned'
  | 'signed'
  | 'hex'
  | 'errno'
  | 'time'
  | 'boolean'
  | 'float'
  | 'bytes'
  | 'character'
  | 'latin1'
  | 'utf8'
  | 'utf16'
  | 'utf32'
  | 'markedUtf8'
  | 'markedUtf16'
  | 'markedUtf32'
  | 'uuid'
  | 'port'
  | 'ipAddress';

type KindByFormat = Readonly<Partial<Record<number, ValueKind>>>;

/** Formats for integers of any size. */
const INTEGER: KindByFormat = {
  [Format.SignedInt]: 'signed',
  [Format.HexInt]: 'hex',
  [Format.HexBytes]: 'bytes',
};
const VALUE_8: KindByFormat = {
  ...INTEGER,
  [Format.Boolean]: 'boolean',
  [Format.String8]: 'character',
};
const VALUE_16: KindByFormat = {
  ...INTEGER,
  [Format.Boolean]: 'boolean',
  [Format.StringUtf]: 'character',
  [Format.Port]: 'port',
};
const VALUE_32: KindByFormat = {
  ...INTEGER,
  [Format.Errno]: 'errno',
  [Format.Pid]: 'signed',
  [Format.Time]: 'time',
  [Format.Boolean]: 'boolean',
  [Format.Float]: 'float',
  [Format.StringUtf]: 'character',
  [Format.IpAddress]: 'ipAddress',
  [Format.IpAddressObsolete]: 'ipAddress',
};
const VALUE_64: KindByFormat = {
  ...INTEGER,
  [Format.Time]: 'time',
  [Format.Float]: 'float',
};
const VALUE_128: KindByFormat = {
  [Format.Uuid]: 'uuid',
  [Format.IpAddress]: 'ipAddress',
  [Format.IpAddressObsolete]: 'ipAddress',
};
const TEXT_8: KindByFormat = {
  [Format.HexBytes]: 'bytes',
  [Format.String8]: 'latin1',
  [Format.StringUtf]: 'utf8',
  [Format.StringUtfBom]: 'markedUtf8',
  [Format.StringXml]: 'markedUtf8',
  [Format.StringJson]: 'markedUtf8',
};
const TEXT_16: KindByFormat = {
  [Format.HexBytes]: 'bytes',
  [Format.StringUtfBom]: 'markedUtf16',
  [Format.StringXml]: 'markedUtf16',
  [Format.StringJson]: 'markedUtf16',
};
const TEXT_32: KindByFormat = {
  [Format.HexBytes]: 'bytes',
  [Format.StringUtfBom]: 'markedUtf32',
  [Format.StringXml]: 'markedUtf32',
  [Format.StringJson]: 'markedUtf32',
};

interface FixedSizeFormat {
  readonly kind: ValueKind;
  readonly sizes: readonly number[];
}

/**
 * Formats of fixed size in a field of counted bytes: this is how a value can be absent. Length 0 means null; a fitting
 * length, the value; any other length, the encoding's default.
 */
const FIXED_SIZE_FORMATS: Readonly<Partial<Record<number, FixedSizeFormat>>> = {
  [Format.UnsignedInt]: { kind: 'unsigned', sizes: [1, 2, 4, 8] },
  [Format.SignedInt]: { kind: 'signed', sizes: [1, 2, 4, 8] },
  [Format.HexInt]: { kind: 'hex', sizes: [1, 2, 4, 8] },
  [Format.Errno]: { kind: 'errno', sizes: [4] },
  [Format.Pid]: { kind: 'signed', sizes: [4] },
  [Format.Time]: { kind: 'time', sizes: [4, 8] },
  [Format.Boolean]: { kind: 'boolean', sizes: [1, 2, 4] },
  [Format.Float]: { kind: 'float', sizes: [4, 8] },
  [Format.Uuid]: { kind: 'uuid', sizes: [16] },
  [Format.Port]: { kind: 'port', sizes: [2] },
  [Format.IpAddress]: { kind: 'ipAddress', sizes: [4, 16] },
  [Format.IpAddressObsolete]: { kind: 'ipAddress', sizes: [4, 16] },
};

/**
 * How to read a value.
 *
 * @param encoding any but `Struct`
 * @param size the value's bytes, without count or terminator
 * @returns `undefined` if the encoding is unknown
 */
export function valueKindOf(encoding: number, format: number, size: number): ValueKind | undefined {
  switch (encoding) {
    case Encoding.Value8:
      return VALUE_8[format] ?? 'unsigned';
    case Encoding.Value16:
      return VALUE_16[format] ?? 'unsigned';
    case Encoding.Value32:
      return VALUE_32[format] ?? 'unsigned';
    case Encoding.Value64:
      return VALUE_64[format] ?? 'unsigned';
    case Encoding.Value128:
      return VALUE_128[format] ?? 'bytes';
    case Encoding.ZStringChar8:
      return TEXT_8[format] ?? 'utf8';
    case Encoding.ZStringChar16:
    case Encoding.StringLength16Char16:
      return TEXT_16[format] ?? 'utf16';
    case Encoding.ZStringChar32:
    case Encoding.StringLength16Char32:
      return TEXT_32[format] ?? 'utf32';
    case Encoding.StringLength16Char8:
      return countedKindOf(format, size, 'utf8');
    case Encoding.BinaryLength16Char8:
      return countedKindOf(format, size, 'bytes');
    default:
      return undefined;
  }
}

function countedKindOf(format: number, size: number, byDefault: ValueKind): ValueKind {
  const fixed = FIXED_SIZE_FORMATS[format];
  if (fixed === undefined) return TEXT_8[format] ?? byDefault;
  if (size === 0) return 'null';
  return fixed.sizes.includes(size) ? fixed.kind : byDefault;
}
