/**
 * The encoding of an activity path in a GUID: the nibble codes and the checksum, shared by writers and readers.
 *
 * Bytes 0 to 11 (struct order) are a list of numbers in nibbles, high half of a byte first. Bytes 12 to 15 are the
 * checksum, a little-endian u32. Source: "EventSource Activity Support", appendix "Activity Path Encoding", and .NET
 * 10's ActivityTracker.
 */
import type { Guid } from './guid.ts';

/** The bytes of a GUID that hold numbers, and their nibbles. */
export const PATH_BYTES = 12;
export const PATH_NIBBLES = 24;

/** The meaning of a number's first nibble. 1 to 10 stand for themselves. */
export const PathCode = {
  /** Ends the list. */
  End: 0x0,
  LastImmediate: 0xa,
  /** The next number only makes the id unique: the path did not fit. A multi-byte code must follow. */
  Overflow: 0xb,
  /** One little-endian byte follows (0xD two, 0xE three, 0xF four), starting at the next whole byte. */
  MultiByte1: 0xc,
} as const;

/** The number that identifies activity paths: "arbitrary but now forever fixed". */
const PATH_FORMAT_ID = 0x599d99ad;

/** The checksum of three path words, before mixing in the process id, as a signed word. */
export function pathChecksum(w0: number, w1: number, w2: number): number {
  return (w0 + w1 + w2 + PATH_FORMAT_ID) | 0;
}

/** The process id implied by a path's checksum: 0 for the 2016 form, which has none. */
export function impliedProcessId(path: Guid): number {
  return (pathChecksum(path.w0, path.w1, path.w2) ^ path.w3) >>> 0;
}

/** The nibble at `at` (0 to 23) of the twelve path bytes, high half of each byte first. */
export function nibbleAt(guid: Guid, at: number): number {
  const word = at < 8 ? guid.w0 : at < 16 ? guid.w1 : guid.w2;
  // Bytes go from low to high in a word, but nibbles from high to low in a byte.
  return (word >>> (((at & 7) ^ 1) * 4)) & 0xf;
}

/** The byte that starts at nibble `at`, which is even. */
export function byteAt(guid: Guid, at: number): number {
  return (nibbleAt(guid, at) << 4) | nibbleAt(guid, at + 1);
}
