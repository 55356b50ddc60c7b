/**
 * The GUID derived from a provider's name, by which ETW identifies a TraceLogging or EventSource provider.
 *
 * The rule is that of .NET and Microsoft's TraceLogging libraries: SHA-1 over 16 fixed bytes and the upper-cased name
 * in UTF-16, high byte first; then the first 16 bytes, with the high half of byte 7 set to 5, read as a GUID in struct
 * order. (RFC 9562 would also set the variant bits; this rule does not.)
 */
import { guidText } from './guid.ts';

const NAMESPACE = Buffer.from('482C2DB2C39047C887F81A15BFC130FB', 'hex');

/** Lower-case GUID text. Names that differ only in case have the same GUID. */
export function providerGuid(name: string): string {
  const upperCased = Array.from({ length: name.length }, (_, index) => upperCaseUnit(name.charCodeAt(index)));
  const utf16 = Buffer.from(String.fromCharCode(...upperCased), 'utf16le').swap16();
  // Not imported: loading node:crypto takes longer than loading all of tracewright.
  const { createHash } = process.getBuiltinModule('node:crypto');
  const bytes = createHash('sha1').update(NAMESPACE).update(utf16).digest().subarray(0, 16);
  bytes[7] = ((bytes[7] as number) & 0x0f) | 0x50;
  return guidText(bytes);
}

/** JavaScript upper-cases these to `I` and `S`; .NET's invariant culture and Windows leave them unchanged. */
const DOTLESS_I = 0x131;
const LONG_S = 0x17f;

/**
 * The upper case of a UTF-16 code unit in .NET's invariant culture: one unit to one (Unicode's simple mapping), so `ß`
 * is unchanged, and so are surrogates.
 */
function upperCaseUnit(unit: number): number {
  if (unit === DOTLESS_I || unit === LONG_S) return unit;
  if (isGreekWithIotaSubscript(unit)) return unit + (unit < 0x1fb0 ? 8 : 9);
  const upper = String.fromCharCode(unit).toUpperCase();
  return upper.length === 1 ? upper.charCodeAt(0) : unit;
}

/** The 27 letters that JavaScript upper-cases to two, although they have a single upper case (`ᾳ`: `ᾼ`). */
function isGreekWithIotaSubscript(unit: number): boolean {
  if (unit >= 0x1f80 && unit < 0x1fb0) return (unit & 8) === 0;
  return unit === 0x1fb3 || unit === 0x1fc3 || unit === 0x1ff3;
}

/** How formats identify a provider: nettrace version 4 by name, all others by GUID. */
export function providerKeys({ name, guid }: { readonly name: string; readonly guid: string }): string[] {
  return [...new Set([providerGuid(name), guid.toLowerCase()])];
}
