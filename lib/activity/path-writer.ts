/**
 * Appends a number to an activity path, in the form that .NET 10 writes.
 *
 * A position in a path is counted in nibbles from its start. Once a path has overflowed, its GUID no longer shows where
 * it ends, so whoever holds a path must keep its end, and compute the new end first: a number whose end is beyond
 * PATH_NIBBLES does not fit. Source: .NET 10's ActivityTracker. Up to .NET 9, numbers from 256 to 4095 that start in a
 * high half were followed by a spare zero byte, which hid all later numbers; it is not written here.
 */
import { Guid } from './guid.ts';
import { PATH_BYTES, PATH_NIBBLES, PathCode, pathChecksum } from './path-layout.ts';

const scratch = new DataView(new ArrayBuffer(PATH_BYTES));

/**
 * Returns where a path that ends at `end` ends after appending `number` (u32); if beyond PATH_NIBBLES, it does not fit.
 */
export function endAfterNumber(end: number, number: number): number {
  return isImmediate(number) ? end + 1 : endAfterMultiByte(end, number);
}

/**
 * Returns where a path that ends at `end` ends after appending `number` (u32) as an overflow number; if beyond
 * PATH_NIBBLES, it does not fit. .NET requires two whole bytes after the starting one, even if fewer nibbles would do.
 */
export function endAfterOverflowNumber(end: number, number: number): number {
  if ((end >>> 1) + 2 >= PATH_BYTES) return PATH_NIBBLES + 1;
  return endAfterMultiByte(end + 1, number);
}

/**
 * The id of `parent`, whose path ends at `end`, with `number` (u32) appended. The number must fit. `processId` 0 writes
 * the 2016 form.
 */
export function appendNumber(parent: Guid, end: number, number: number, processId: number): Guid {
  loadPath(parent);
  if (isImmediate(number)) putNibble(end, number);
  else putMultiByte(end, number);
  return sealPath(processId);
}

/** Like appendNumber, but marks the number as one that only makes the id unique. */
export function appendOverflowNumber(parent: Guid, end: number, number: number, processId: number): Guid {
  loadPath(parent);
  putNibble(end, PathCode.Overflow);
  putMultiByte(end + 1, number);
  return sealPath(processId);
}

function isImmediate(number: number): boolean {
  return 0 < number && number <= PathCode.LastImmediate;
}

function byteCount(number: number): number {
  if (number <= 0xff) return 1;
  if (number <= 0xffff) return 2;
  return number <= 0xffffff ? 3 : 4;
}

/** Whether the low half of the code byte can hold bits 8 to 11 of the number. */
function sharesCodeByte(start: number, number: number): boolean {
  return (start & 1) === 0 && number < 4096;
}

function endAfterMultiByte(start: number, number: number): number {
  const bytes = sharesCodeByte(start, number) ? 1 : byteCount(number);
  return ((start >>> 1) + 1 + bytes) * 2;
}

function putMultiByte(start: number, number: number): void {
  let byte = start >>> 1;
  if (sharesCodeByte(start, number)) {
    scratch.setUint8(byte, (PathCode.MultiByte1 << 4) | (number >>> 8));
    scratch.setUint8(byte + 1, number);
    return;
  }
  const bytes = byteCount(number);
  putNibble(start, PathCode.MultiByte1 + bytes - 1);
  for (let shift = 0; shift < bytes * 8; shift += 8) scratch.setUint8(++byte, number >>> shift);
}

function putNibble(at: number, value: number): void {
  const byte = at >>> 1;
  scratch.setUint8(byte, scratch.getUint8(byte) | ((at & 1) === 0 ? value << 4 : value));
}

function loadPath(path: Guid): void {
  scratch.setInt32(0, path.w0, true);
  scratch.setInt32(4, path.w1, true);
  scratch.setInt32(8, path.w2, true);
}

function sealPath(processId: number): Guid {
  const w0 = scratch.getInt32(0, true);
  const w1 = scratch.getInt32(4, true);
  const w2 = scratch.getInt32(8, true);
  return new Guid(w0, w1, w2, pathChecksum(w0, w1, w2) ^ processId);
}
