/**
 * C's conversions of one value, as FormatMessage's `%1!08lx!` has them, with Microsoft's own: `I64`, `I32`, `I`, `w`,
 * and `p` in upper case with leading zeros.
 */

/** Flags, width, precision, size, conversion. */
const SPEC = /^([-+ 0#]*)((?:[1-9]\d*)?)(?:\.(\d*))?(hh?|ll?|I64|I32|I|w|z|j|t|L)?([a-zA-Z])$/;

/** Longer ones are nobody's: a description is not trusted. */
const MAX_WIDTH = 1024;
const MAX_DECIMALS = 100;

export interface PrintedValue {
  readonly value: number | bigint | string;
  /** The bits of an integer as it is stored. */
  readonly bits: number;
  /** Returns the text for `s`, and for what the conversion cannot show. */
  text(): string;
}

interface Spec {
  readonly flags: string;
  readonly width: number;
  readonly precision: number | undefined;
  readonly size: string;
  readonly conversion: string;
}

/** @param spec what is between the exclamation marks; an unknown one shows the text */
export function printed(spec: string, printedValue: PrintedValue): string {
  const match = SPEC.exec(spec);
  if (match === null) return printedValue.text();
  const [, flags = '', width = '', precision, size = '', conversion = ''] = match;
  const parsed: Spec = {
    flags,
    width: Math.min(Number(width), MAX_WIDTH),
    precision: precision === undefined ? undefined : Math.min(Number(precision), MAX_WIDTH),
    size,
    conversion,
  };
  const [sign, digits, canHaveZeros] = convert(parsed, printedValue);
  const missing = parsed.width - sign.length - digits.length;
  if (missing <= 0) return sign + digits;
  if (flags.includes('-')) return sign + digits + ' '.repeat(missing);
  const isZeroed = canHaveZeros && flags.includes('0');
  return isZeroed ? sign + '0'.repeat(missing) + digits : ' '.repeat(missing) + sign + digits;
}

type Converted = readonly [sign: string, digits: string, canHaveZeros: boolean];

function convert(spec: Spec, { value, bits, text }: PrintedValue): Converted {
  const { conversion, precision } = spec;
  if (typeof value !== 'string') {
    if ('diuoxX'.includes(conversion)) return integer(spec, asInteger(value), bits);
    if (conversion === 'p') {
      return ['', hex(BigInt.asUintN(bits, asInteger(value)), 'X').padStart(bits / 4, '0'), false];
    }
    if (conversion === 'c' || conversion === 'C') {
      return ['', character(Number(BigInt.asUintN(Math.min(bits, 16), asInteger(value)))), false];
    }
    if ('aAeEfFgG'.includes(conversion)) return real(spec, Number(value));
  }
  const shown = text();
  return ['', precision === undefined ? shown : shown.slice(0, precision), false];
}

function character(code: number): string {
  return code === 0 ? '' : String.fromCharCode(code);
}

function asInteger(value: number | bigint): bigint {
  if (typeof value === 'bigint') return value;
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : 0n;
}

function integer({ flags, precision, size, conversion }: Spec, value: bigint, stored: number): Converted {
  const bits = size === 'hh' ? Math.min(stored, 8) : size === 'h' ? Math.min(stored, 16) : stored;
  const canHaveZeros = precision === undefined;
  if (conversion === 'd' || conversion === 'i') {
    const number = BigInt.asIntN(bits, value);
    const sign = number < 0n ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
    return [sign, digits(String(number < 0n ? -number : number), precision), canHaveZeros];
  }
  const number = BigInt.asUintN(bits, value);
  if (conversion === 'u') return ['', digits(String(number), precision), canHaveZeros];
  if (conversion === 'o') {
    const octal = digits(number.toString(8), precision);
    return ['', flags.includes('#') && !octal.startsWith('0') ? `0${octal}` : octal, canHaveZeros];
  }
  const prefix = flags.includes('#') && number !== 0n ? `0${conversion}` : '';
  return [prefix, digits(hex(number, conversion), precision), canHaveZeros];
}

function digits(text: string, precision = 1): string {
  return precision === 0 && text === '0' ? '' : text.padStart(precision, '0');
}

function hex(value: bigint, conversion: string): string {
  const text = value.toString(16);
  return conversion === 'X' ? text.toUpperCase() : text;
}

function real({ flags, precision = 6, conversion }: Spec, value: number): Converted {
  const isNegative = value < 0 || Object.is(value, -0);
  const sign = isNegative ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const size = Math.abs(value);
  const isUpper = conversion < 'a';
  if (!Number.isFinite(size)) {
    const text = Number.isNaN(size) ? 'nan' : 'inf';
    return [sign, isUpper ? text.toUpperCase() : text, false];
  }
  const text = realDigits(
    conversion.toLowerCase(),
    size,
    Math.min(precision, MAX_DECIMALS),
    flags.includes('#'),
  );
  return [sign, isUpper ? text.toUpperCase() : text, true];
}

function realDigits(conversion: string, size: number, precision: number, keepsZeros: boolean): string {
  switch (conversion) {
    case 'f':
      // JavaScript changes to exponents from 1e21 on, where all numbers are integers.
      return size < 1e21
        ? size.toFixed(precision)
        : `${BigInt(size)}${precision > 0 ? `.${'0'.repeat(precision)}` : ''}`;
    case 'e':
      return twoDigitExponent(size.toExponential(precision));
    case 'g': {
      const significant = Math.max(precision, 1);
      const exponent = Number(size.toExponential(significant - 1).split('e')[1]);
      const isFixed = exponent >= -4 && exponent < significant;
      const text = isFixed
        ? size.toFixed(Math.min(significant - 1 - exponent, MAX_DECIMALS))
        : size.toExponential(significant - 1);
      const [mantissa = '', power] = text.split('e');
      const short =
        keepsZeros || !mantissa.includes('.')
          ? mantissa
          : mantissa.replace(/(?<!0)0+$/, '').replace(/\.$/, '');
      return power === undefined ? short : twoDigitExponent(`${short}e${power}`);
    }
    default:
      return String(size);
  }
}

function twoDigitExponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, 'e$10$2');
}
