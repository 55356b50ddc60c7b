/**
 * The header of a buffer (WMI_BUFFER_HEADER). Fields that are stale or meaningless on disk are not read:
 * `CurrentOffset` may exceed the buffer, and the clock field often holds a pointer.
 */
import { TraceError } from '../trace-error.ts';
import { BUFFER_HEADER_SIZE, BufferFlag, MAX_BUFFER_SIZE } from './constants.ts';

const SIZE = 0x00;
const SAVED_OFFSET = 0x04;
const SEQUENCE = 0x18;
const PROCESSOR = 0x28;
const FILLED_BYTES = 0x30;
const FLAGS = 0x34;
/** Before Windows Vista, there are no flags, but how many events were lost, u32. */
const EVENTS_LOST = 0x34;

/** What a file's header says about its buffers. */
export interface BufferForm {
  readonly isBeforeVista: boolean;
}

const NEW_FORM: BufferForm = { isBeforeVista: false };

export interface BufferHeader {
  /** Bytes to the next buffer; for a compressed buffer, as stored. */
  readonly size: number;
  /** Where its records end, in bytes from its start; for a compressed buffer, after decompression. */
  readonly end: number;
  readonly processor: number;
  /** Numbers the session's buffers. Not in file order if there are several processors. */
  readonly sequence: bigint;
  readonly isCompressed: boolean;
  readonly hasLostEvents: boolean;
  readonly hasLostBuffers: boolean;
}

/**
 * @param view what there is of the buffer, at least its header
 * @param position of the buffer in the file
 * @throws TraceError
 */
export function readBufferHeader(view: DataView, position: number, form = NEW_FORM): BufferHeader {
  if (view.byteLength < BUFFER_HEADER_SIZE) {
    const sentence = `The file ends inside the header of a buffer, after ${view.byteLength} bytes of it.`;
    throw new TraceError('truncated', position, sentence);
  }
  const size = view.getUint32(SIZE, true);
  if (size < BUFFER_HEADER_SIZE || size > MAX_BUFFER_SIZE) {
    throw new TraceError('malformed', position, `A buffer cannot have ${size} bytes.`);
  }
  const flags = form.isBeforeVista ? oldFlags(view) : view.getUint16(FLAGS, true);
  const isCompressed = (flags & BufferFlag.Compressed) !== 0;
  // Windows 7 leaves SavedOffset at 0 in the first buffer; other writers leave FilledBytes at 0.
  const filled = view.getUint32(FILLED_BYTES, true) || view.getUint32(SAVED_OFFSET, true);
  const hasIndex = (flags & BufferFlag.ProcessorIndex) !== 0;
  return {
    size,
    end: Math.max(BUFFER_HEADER_SIZE, Math.min(filled, isCompressed ? MAX_BUFFER_SIZE : size)),
    // Without the flag the upper byte is the alignment.
    processor: hasIndex ? view.getUint16(PROCESSOR, true) & 0x7ff : view.getUint8(PROCESSOR),
    sequence: view.getBigInt64(SEQUENCE, true),
    isCompressed,
    hasLostEvents: (flags & BufferFlag.EventsLost) !== 0,
    hasLostBuffers: (flags & BufferFlag.BufferLost) !== 0,
  };
}

function oldFlags(view: DataView): number {
  return view.getUint32(EVENTS_LOST, true) === 0 ? 0 : BufferFlag.EventsLost;
}

/** Whether nothing was written here: a preallocated file ends in zeros. */
export function isBlankHeader(bytes: Uint8Array): boolean {
  return (
    bytes.length >= BUFFER_HEADER_SIZE && !bytes.subarray(0, BUFFER_HEADER_SIZE).some((byte) => byte !== 0)
  );
}
