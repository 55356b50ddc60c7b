/** One buffer of the file, its records readable in place. */
import { viewOf } from '../bytes.ts';
import { type BufferHeader, readBufferHeader } from './buffer-header.ts';
import { BUFFER_HEADER_SIZE } from './constants.ts';
import { EtlError } from './error.ts';
import { decompressXpress } from './xpress.ts';

export interface EtlBuffer {
  readonly header: BufferHeader;
  /** Where it stands in the file. */
  readonly position: number;
  /** From the buffer's header on, as it was before it was compressed, up to the end of its records. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Why it ends before its end. */
  readonly problem: EtlError | undefined;
}

/** One record of a buffer. */
export interface EtlRecord {
  readonly buffer: EtlBuffer;
  /** Where it stands in the buffer. */
  readonly offset: number;
  readonly end: number;
  /** See `RecordType`. */
  readonly type: number;
}

/**
 * Reads one buffer. Damage behind its header does not keep what stands before from being read.
 *
 * @param stored the buffer as it stands in the file, or less of it where the file ends
 * @param position where that is
 * @throws EtlError where its header is damaged or not all there
 */
export function openBuffer(stored: Uint8Array, position: number): EtlBuffer {
  const header = readBufferHeader(viewOf(stored), position);
  const { size, end, isCompressed } = header;
  let bytes = stored.subarray(0, end);
  let problem: EtlError | undefined;
  if (isCompressed) {
    const whole = Buffer.allocUnsafeSlow(end);
    whole.set(stored.subarray(0, BUFFER_HEADER_SIZE));
    const body = stored.subarray(BUFFER_HEADER_SIZE, size);
    const found = decompressXpress(body, whole, BUFFER_HEADER_SIZE);
    bytes = whole.subarray(0, BUFFER_HEADER_SIZE + found.size);
    if (bytes.length < end) {
      const reason = found.problem ?? `It gives ${bytes.length} bytes instead of ${end}.`;
      problem = new EtlError('malformed', position, `A compressed buffer is damaged. ${reason}`);
    }
  }
  if (stored.length < size) {
    const sentence = `The file ends inside a buffer, after ${stored.length} of its ${size} bytes.`;
    problem = new EtlError('truncated', position, sentence);
  }
  return { header, position, bytes, view: viewOf(bytes), problem };
}

/** Where a record of the buffer stands in the file; of a compressed one, where the buffer does. */
export function positionOf(buffer: EtlBuffer, offset: number): number {
  return buffer.header.isCompressed ? buffer.position : buffer.position + offset;
}
