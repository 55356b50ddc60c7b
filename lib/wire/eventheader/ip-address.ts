/**
 * IP addresses as text: dotted quads, and RFC 5952 for IPv6 as inet_ntop(3) writes it.
 */

/** @param bytes 4 or 16, in network order */
export function ipAddressText(bytes: Uint8Array): string {
  return bytes.length === 4 ? bytes.join('.') : ipv6Text(bytes);
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
