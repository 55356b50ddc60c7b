/**
 * Writes values of the field types whose layout is TraceLogging's own: counted strings count bytes, and IP
 * addresses are all of version 6.
 */
import { SCRATCH_LIMIT, scratchView } from '../scratch.ts';
import { addressOf, writeBinary, writeEmpty } from '../values/binary.ts';
import { noRoom, type ValueWriter } from '../values/faults.ts';
import { textOf, writeUtf16Units } from '../values/text.ts';

/** UTF-16 after a u16 count of bytes. */
export const writeUtf16: ValueWriter = (offset, value) => {
  const start = offset + 2;
  const end = writeUtf16Units(start, textOf(value));
  if (end > SCRATCH_LIMIT) return noRoom(offset);
  scratchView.setUint16(offset, end - start, true);
  return end;
};

/**
 * The 16 bytes of an IPv6 address after a u16 count of them. A field has one type for all its events, and
 * ETW's has no room for either version: an IPv4 address stands as its IPv4-mapped one (RFC 4291, 2.5.5.2).
 */
export const writeIpAddress: ValueWriter = (offset, value) => {
  const address = addressOf(value);
  if (address === undefined) return writeEmpty(offset);
  return writeBinary(offset, address.length === 16 ? address : ipv4Mapped(address));
};

function ipv4Mapped(address: Uint8Array): Uint8Array {
  const mapped = new Uint8Array(16);
  mapped.fill(0xff, 10, 12);
  mapped.set(address, 12);
  return mapped;
}
