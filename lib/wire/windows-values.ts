/** Values of Windows' own structures as text. */

/** A SYSTEMTIME, eight u16: year, month, day of the week, day, hour, minute, second, millisecond. */
export function systemTimeText(view: DataView, offset = 0): string {
  const part = (index: number, digits: number) =>
    String(view.getUint16(offset + index * 2, true)).padStart(digits, '0');
  const date = `${part(0, 4)}-${part(1, 2)}-${part(3, 2)}`;
  return `${date}T${part(4, 2)}:${part(5, 2)}:${part(6, 2)}.${part(7, 3)}`;
}

/** The size in bytes of a SID with this many sub-authorities. */
export function sidSize(subAuthorities: number): number {
  return 8 + 4 * subAuthorities;
}

/** Revision u8, count u8 of the sub-authorities, authority 48 bits big-endian, sub-authorities u32. */
export function sidText(view: DataView): string {
  const authority = view.getUint16(2, false) * 2 ** 32 + view.getUint32(4, false);
  let text = `S-${view.getUint8(0)}-${authority}`;
  for (let offset = 8; offset < view.byteLength; offset += 4) text += `-${view.getUint32(offset, true)}`;
  return text;
}

const UNIX_EPOCH = 116_444_736_000_000_000n;
const UNITS_PER_MILLISECOND = 10_000n;
/** FILETIMEs are unsigned for Windows, but later times than these are damage. */
const LAST_FILETIME = 2n ** 63n - 1n;

/** A FILETIME, units of 100 ns since 1601: `2024-01-31T12:00:00.1234567Z`. */
export function fileTimeText(value: bigint): string {
  if (value > LAST_FILETIME || value < 0n) return String(value);
  const date = new Date(Number(value / UNITS_PER_MILLISECOND - UNIX_EPOCH / UNITS_PER_MILLISECOND));
  const rest = String(value % UNITS_PER_MILLISECOND).padStart(4, '0');
  return `${date.toISOString().slice(0, -1)}${rest}Z`;
}
