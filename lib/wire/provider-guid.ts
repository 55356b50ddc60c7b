/**
 * The GUID derived from a provider's name, by which ETW identifies a TraceLogging or EventSource provider.
 *
 * The rule is that of .NET and Microsoft's TraceLogging libraries: SHA-1 over 16 fixed bytes and the upper-cased name
 * in UTF-16, high byte first; then the first 16 bytes, with the high half of byte 7 set to 5, read as a GUID in struct
 * order. (RFC 9562 would also set the variant bits; this rule does not.)
 */
import { guidText } from './guid.ts';

const NAMESPACE = Buffer.from('482C2DB2C39047C887F81A15BFC130FB', 'hex');

/** A definition needs the GUID of its name several times, and deriving it takes a new process 0.2 ms. */
let latest = { name: '', guid: '' };

/** Returns the GUID as lower-case text. Names that differ only in case have the same GUID. */
export function providerGuid(name: string): string {
  if (name === '' || name !== latest.name) latest = { name, guid: derivedGuid(name) };
  return latest.guid;
}

function derivedGuid(name: string): string {
  const upperCased = Array.from({ length: name.length }, (_, index) => upperCaseUnit(name.charCodeAt(index)));
  const utf16 = Buffer.from(String.fromCharCode(...upperCased), 'utf16le').swap16();
  const bytes = sha1(Buffer.concat([NAMESPACE, utf16])).subarray(0, 16);
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

const BLOCK_SIZE = 64;
const ROUNDS = 80;
/** Each function of three words and its constant is for a quarter of the rounds. */
const QUARTERS: readonly {
  readonly choose: (b: number, c: number, d: number) => number;
  readonly added: number;
}[] = [
  { choose: (b, c, d) => (b & c) | (~b & d), added: 0x5a827999 },
  { choose: (b, c, d) => b ^ c ^ d, added: 0x6ed9eba1 },
  { choose: (b, c, d) => (b & c) | (b & d) | (c & d), added: 0x8f1bbcdc },
  { choose: (b, c, d) => b ^ c ^ d, added: 0xca62c1d6 },
];

/**
 * SHA-1 of FIPS 180-4. Loading node:crypto takes longer than loading all of tracewright, and a Node.js in FIPS mode may
 * refuse this hash, which protects nothing here.
 */
function sha1(message: Uint8Array): Uint8Array {
  const padded = new Uint8Array(Math.ceil((message.length + 9) / BLOCK_SIZE) * BLOCK_SIZE);
  padded.set(message);
  padded[message.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 4, message.length * 8);
  const hash = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0);
  const words = new Int32Array(ROUNDS);
  for (let at = 0; at < padded.length; at += BLOCK_SIZE) {
    let a = hash[0] as number;
    let b = hash[1] as number;
    let c = hash[2] as number;
    let d = hash[3] as number;
    let e = hash[4] as number;
    for (let i = 0; i < ROUNDS; i++) {
      const word = i < 16 ? view.getInt32(at + 4 * i) : rotated(mixed(words, i), 1);
      words[i] = word;
      const { choose, added } = QUARTERS[Math.floor(i / 20)] as (typeof QUARTERS)[number];
      const next = (rotated(a, 5) + choose(b, c, d) + e + added + word) | 0;
      e = d;
      d = c;
      c = rotated(b, 30);
      b = a;
      a = next;
    }
    hash[0] = (hash[0] as number) + a;
    hash[1] = (hash[1] as number) + b;
    hash[2] = (hash[2] as number) + c;
    hash[3] = (hash[3] as number) + d;
    hash[4] = (hash[4] as number) + e;
  }
  const digest = new DataView(new ArrayBuffer(hash.byteLength));
  for (const [i, word] of hash.entries()) digest.setInt32(4 * i, word);
  return new Uint8Array(digest.buffer);
}

/** The earlier words of which a round's word is made. */
function mixed(words: Int32Array, i: number): number {
  return (
    (words[i - 3] as number) ^
    (words[i - 8] as number) ^
    (words[i - 14] as number) ^
    (words[i - 16] as number)
  );
}

function rotated(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** How formats identify a provider: nettrace version 4 by name, all others by GUID. */
export function providerKeys({ name, guid }: { readonly name: string; readonly guid: string }): string[] {
  return [...new Set([providerGuid(name), guid.toLowerCase()])];
}
