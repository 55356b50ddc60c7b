/** Assembles EventHeader events for tests, byte by byte and in either byte order. */

export interface EventParts {
  readonly littleEndian?: boolean;
  readonly level?: number;
  /** Bytes before the metadata extension, with the chain flag set in their kinds. */
  readonly extensions?: readonly number[];
  /** Name and fields; see `name` and `text`. */
  readonly metadata: readonly number[];
  readonly payload?: readonly number[];
}

/** An event of a 64-bit process with a metadata extension. */
export function eventBytes(parts: EventParts): Uint8Array {
  const littleEndian = parts.littleEndian ?? true;
  return Uint8Array.from([
    littleEndian ? 0x07 : 0x05,
    0, // version
    ...[0, 0], // id
    ...[0, 0], // tag
    0, // opcode
    parts.level ?? 5,
    ...(parts.extensions ?? []),
    ...uint16(parts.metadata.length, littleEndian),
    ...uint16(1, littleEndian),
    ...parts.metadata,
    ...(parts.payload ?? []),
  ]);
}

/** UTF-8 bytes. */
export function text(value: string): number[] {
  return [...new TextEncoder().encode(value)];
}

/** UTF-8 bytes and a NUL. */
export function name(value: string): number[] {
  return [...text(value), 0];
}

export function uint16(value: number, littleEndian = true): number[] {
  return littleEndian ? [value & 0xff, value >>> 8] : [value >>> 8, value & 0xff];
}

/** Bytes written as hex, with any spaces. */
export function hex(digits: string): Uint8Array {
  return Uint8Array.from(Buffer.from(digits.replaceAll(/\s/g, ''), 'hex'));
}

/** A repeatable source of numbers from 0 to below `limit` (xorshift32). */
export function randomNumbers(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % limit;
  };
}
