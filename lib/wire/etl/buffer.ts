/** One buffer of the file, whose records are read in place. */

import { viewOf } from '../../base/bytes.ts';
import { TraceError } from '../trace-error.ts';
import { type BufferForm, type BufferHeader, readBufferHeader } from './buffer-header.ts';
import { BUFFER_HEADER_SIZE } from './constants.ts';
import { decompressXpress } from './xpress.ts';

export interface EtlBuffer {
  readonly header: BufferHeader;
  /** Its position in the file. */
  readonly position: number;
  /** The bytes start with the buffer's header, decompressed, and end with its records. */
  readonly bytes: Uint8Array;
  readonly view: DataView;
  /** Why the records end early. */
  readonly problem: TraceError | undefined;
}

/** One record of a buffer. */
export interface EtlRecord {
  readonly buffer: EtlBuffer;
  /** Its position in the buffer. */
  readonly offset: number;
  readonly end: number;
  /** See `RecordType`. */
  readonly type: number;
}

/**
 * Reads one buffer. If it is damaged after its header, what precedes the damage can still be read.
 *
 * @param stored the buffer as stored in the file, or less of it if the file ends
 * @param position where that is
 * @param form by default that of Windows Vista and later
 * @throws TraceError if its header is damaged or incomplete
 */
export function openBuffer(stored: Uint8Array, position: number, form?: BufferForm): EtlBuffer {
  const header = readBufferHeader(viewOf(stored), position, form);
  const { size, end, isCompressed } = header;
  let bytes = stored.subarray(0, end);
  let problem: TraceError | undefined;
  if (isCompressed) {
    const whole = Buffer.allocUnsafeSlow(end);
    whole.set(stored.subarray(0, BUFFER_HEADER_SIZE));
    const body = stored.subarray(BUFFER_HEADER_SIZE, size);
    const found = decompressXpress(body, whole, BUFFER_HEADER_SIZE);
    bytes = whole.subarray(0, BUFFER_HEADER_SIZE + found.size);
    if (bytes.length < end) {
      const reason = found.problem ?? `It contains ${bytes.length} bytes instead of ${end}.`;
      problem = new TraceError('malformed', position, `A compressed buffer is damaged. ${reason}`);
    }
  }
  if (stored.length < size) {
    const sentence = `The file ends inside a buffer, after ${stored.length} of its ${size} bytes.`;
    problem = new TraceError('truncated', position, sentence);
  }
  return { header, position, bytes, view: viewOf(bytes), problem };
}

/** The position of a record in the file; if the buffer is compressed, that of the buffer. */
export function positionOf(buffer: EtlBuffer, offset: number): number {
  return buffer.header.isCompressed ? buffer.position : buffer.position + offset;
}
