/**
 * IP addresses as text and as bytes in network order: dotted quads and, for IPv6, what inet_pton(3) reads and
 * inet_ntop(3) writes (RFC 5952).
 */

/** 4 bytes for IPv4 (`127.0.0.1`), 16 for IPv6 (`::1`, `::ffff:1.2.3.4`, a zone after `%` is ignored). */
export function parseIpAddress(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  const bytes = new Uint8Array(4);
  for (let index = 0; index < 4; index++) {
    const part = parts[index] ?? '';
    if (!/^(0|[1-9][0-9]{0,2})$/.test(part) || Number(part) > 255) return undefined;
    bytes[index] = Number(part);
  }
  return bytes;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = (text.split('%', 1)[0] ?? '').split('::');
  if (halves.length > 2) return undefined;
  const shortened = halves.length === 2;
  // An IPv4 address may appear only at the very end.
  const head = parseGroups(halves[0] ?? '', !shortened);
  const tail = parseGroups(halves[1] ?? '', true);
  if (head === undefined || tail === undefined) return undefined;
  const missing = 16 - head.length - tail.length;
  // `::` stands for at least one group of zeros.
  if (shortened ? missing < 2 : missing !== 0) return undefined;
  return Uint8Array.from([...head, ...new Array<number>(missing).fill(0), ...tail]);
}

/** The bytes of groups of up to 4 hex digits. */
function parseGroups(text: string, mayEndInIpv4: boolean): number[] | undefined {
  if (text === '') return [];
  const bytes: number[] = [];
  const groups = text.split(':');
  for (const [index, group] of groups.entries()) {
    if (mayEndInIpv4 && group.includes('.') && index === groups.length - 1) {
      const ipv4 = parseIpv4(group);
      if (ipv4 === undefined) return undefined;
      bytes.push(...ipv4);
    } else {
      if (!/^[0-9A-Fa-f]{1,4}$/.test(group)) return undefined;
      const value = Number.parseInt(group, 16);
      bytes.push(value >>> 8, value & 0xff);
    }
  }
  return bytes;
}

/** @param bytes 4 or 16, in network order */
export function ipAddressText(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : ipv6Text(bytes);
}

/** The same for bytes of any length: undefined unless there are 4 or 16. */
export function ipAddressOf(bytes: Uint8Array): string | undefined {
  return bytes.length === 4 || bytes.length === 16 ? ipAddressText(bytes) : undefined;
}

/** Windows' numbers of address families. */
const AF_INET = 2;
const AF_INET6 = 23;

/**
 * `192.0.2.1:80` or `[2001:db8::1]:80`. Layouts: family u16 little-endian, port u16 in network order, then for IPv4 the
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
  return `[${ipAddressText(bytes.subarray(8, 24))}]:${port}`;
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
