/**
 * IP addresses as text and as bytes in network order: dotted quads and, for IPv6, what inet_pton(3) reads and
 * inet_ntop(3) writes (RFC 5952).
 */
import { hexDigit } from '../base/bytes.ts';

export const MOST_ADDRESS_BYTES = 16;
const IPV4_BYTES = 4;

const DOT = 0x2e;
const ZERO = 0x30;
const COLON = 0x3a;

/**
 * Puts the bytes of an address, in network order, into the target: 4 for IPv4, 16 for IPv6.
 *
 * @param value the address as text, or as its bytes
 * @returns the number of bytes; 0 if the value is not an address: the target may have changed
 */
export function addressInto(value: unknown, target: Uint8Array, offset: number): number {
  if (typeof value === 'string') return parseIpAddress(value, target, offset);
  if (!(value instanceof Uint8Array)) return 0;
  if (value.length !== IPV4_BYTES && value.length !== MOST_ADDRESS_BYTES) return 0;
  target.set(value, offset);
  return value.length;
}

/**
 * Parses text: `127.0.0.1`, `::1`, `::ffff:1.2.3.4`; a zone after `%` is ignored. It allocates nothing, so that an
 * address costs an event about as much as any other text of its length.
 */
export function parseIpAddress(text: string, target: Uint8Array, offset: number): number {
  if (!text.includes(':')) return parseIpv4(text, 0, text.length, target, offset) ? IPV4_BYTES : 0;
  const zone = text.indexOf('%');
  const end = zone < 0 ? text.length : zone;
  return parseIpv6(text, end, target, offset) ? MOST_ADDRESS_BYTES : 0;
}

function parseIpv4(text: string, start: number, end: number, target: Uint8Array, offset: number): boolean {
  let at = start;
  for (let index = 0; index < IPV4_BYTES; index++) {
    if (index > 0 && (at >= end || text.charCodeAt(at++) !== DOT)) return false;
    const first = at;
    let value = 0;
    for (; at < end && at < first + 3; at++) {
      const digit = text.charCodeAt(at) - ZERO;
      if (digit < 0 || digit > 9) break;
      value = value * 10 + digit;
    }
    const hasLeadingZero = at > first + 1 && text.charCodeAt(first) === ZERO;
    if (at === first || hasLeadingZero || value > 255) return false;
    target[offset + index] = value;
  }
  return at === end;
}

function parseIpv6(text: string, end: number, target: Uint8Array, offset: number): boolean {
  let at = 0;
  let count = 0;
  /** Bytes before `::`, which stands for at least one group of zeros. */
  let shortenedAt = -1;
  if (end >= 2 && text.charCodeAt(0) === COLON && text.charCodeAt(1) === COLON) {
    shortenedAt = 0;
    at = 2;
  }
  while (at < end) {
    if (count === MOST_ADDRESS_BYTES) return false;
    const first = at;
    let value = 0;
    for (; at < end && at < first + 4; at++) {
      const digit = hexDigit(text.charCodeAt(at));
      if (digit < 0) break;
      value = (value << 4) | digit;
    }
    if (at < end && text.charCodeAt(at) === DOT) {
      // An IPv4 address may appear only at the very end.
      if (count > MOST_ADDRESS_BYTES - IPV4_BYTES) return false;
      if (!parseIpv4(text, first, end, target, offset + count)) return false;
      count += IPV4_BYTES;
      break;
    }
    if (at === first) return false;
    target[offset + count++] = value >> 8;
    target[offset + count++] = value & 0xff;
    if (at === end) break;
    if (text.charCodeAt(at++) !== COLON || at === end) return false;
    if (text.charCodeAt(at) !== COLON) continue;
    if (shortenedAt >= 0) return false;
    shortenedAt = count;
    at++;
  }
  if (shortenedAt < 0) return count === MOST_ADDRESS_BYTES;
  if (count > MOST_ADDRESS_BYTES - 2) return false;
  const behind = offset + MOST_ADDRESS_BYTES - (count - shortenedAt);
  target.copyWithin(behind, offset + shortenedAt, offset + count);
  target.fill(0, offset + shortenedAt, behind);
  return true;
}

/** @param bytes 4 or 16, in network order */
export function ipAddressText(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : ipv6Text(bytes);
}

/** Reads bytes of any length: undefined unless there are 4 or 16. */
export function ipAddressOf(bytes: Uint8Array): string | undefined {
  return bytes.length === 4 || bytes.length === 16 ? ipAddressText(bytes) : undefined;
}

/** Windows' numbers of address families. */
const AF_INET = 2;
const AF_INET6 = 23;

/**
 * `192.0.2.1:80`, `[2001:db8::1]:80` or, with a scope, `[fe80::1%5]:80`. Layouts: family u16 little-endian, port u16 in network order, then for IPv4 the
 * address; for IPv6 a flow u32, the address, a scope u32. Source: Windows' `ws2def.h`, `ws2ipdef.h`.
 *
 * @returns undefined if the bytes are not a SOCKADDR of these families
 */
export function socketAddressText(bytes: Uint8Array): string | undefined {
  if (bytes.length < 8) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const family = view.getUint16(0, true);
  const port = view.getUint16(2, false);
  if (family === AF_INET) return `${ipAddressText(bytes.subarray(4, 8))}:${port}`;
  if (family !== AF_INET6 || bytes.length < 24) return undefined;
  const scope = bytes.length < 28 ? 0 : view.getUint32(24, true);
  return `[${ipAddressText(bytes.subarray(8, 24))}${scope === 0 ? '' : `%${scope}`}]:${port}`;
}

function ipv6Text(bytes: Uint8Array): string {
  const groups = Array.from(
    { length: 8 },
    (_, i) => ((bytes[2 * i] as number) << 8) | (bytes[2 * i + 1] as number),
  );
  const zeros = longestZeroRun(groups);
  // IPv4-mapped (::ffff:a.b.c.d) and IPv4-compatible (::a.b.c.d) addresses end in a dotted quad.
  const isMapped = zeros.start === 0 && zeros.length === 5 && groups[5] === 0xffff;
  const isCompatible = zeros.start === 0 && zeros.length === 6;
  if (isMapped || isCompatible) return `::${isMapped ? 'ffff:' : ''}${bytes.subarray(12).join('.')}`;
  const hex = groups.map((group) => group.toString(16));
  if (zeros.length < 2) return hex.join(':');
  return `${hex.slice(0, zeros.start).join(':')}::${hex.slice(zeros.start + zeros.length).join(':')}`;
}

function longestZeroRun(groups: readonly number[]): { start: number; length: number } {
  let longest = { start: -1, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let length = 0;
    while (groups[start + length] === 0) length++;
    if (length > longest.length) longest = { start, length };
  }
  return longest;
}
