/**
 * The first buffer of a stream of .etl buffers whose session is still running: a TRACE_LOGFILE_HEADER as in a file, of
 * a session in real time without a file. It is repeated in the stream, with the counts so far and, as the buffer's time,
 * a mark: of the events up to there, none follows.
 */
import { viewOf } from '../../base/bytes.ts';
import { BUFFER_HEADER_SIZE, ClockType, LogFileMode, RecordType } from './constants.ts';

/** A buffer's header has its time at this offset. */
const TIME = 0x10;
const FILLED_BYTES = 0x30;
const TYPE = 0x36;
const HEADER_BUFFER = 4;

const RECORD_HEADER_SIZE = 0x20;
const MARK = 0xc000;
const VERSION = 2;
/** TRACE_LOGFILE_HEADER, with pointers of 4 and of 8 bytes; and what is changed in it, from its start or its end. */
const SIZE_32 = 0x110;
const SIZE_64 = 0x118;
const END_TIME = 0x10;
const MODE = 0x20;
const BUFFERS_WRITTEN = 0x24;
const EVENTS_LOST = 0x30;
const START_TIME_FROM_END = 0x10;
const CLOCK_TYPE_FROM_END = 0x08;
const BUFFERS_LOST_FROM_END = 0x04;
/** The two names, both empty. */
const NAMES_SIZE = 4;

/** The position of the mode in the stream, and the bits of modes with a file. */
const MODE_IN_STREAM = BUFFER_HEADER_SIZE + RECORD_HEADER_SIZE + MODE;
const FILE_MODES = 0x0f;

interface LiveHeaderOptions {
  /** TRACE_LOGFILE_HEADER, as OpenTraceW fills it in. */
  readonly header: Uint8Array;
  /** `startTime` and `mark` are FILETIME. */
  readonly startTime: bigint;
  readonly mark: bigint;
  readonly eventsLost: number;
  readonly buffersLost: number;
}

/** @throws RangeError if that is no header */
export function liveHeaderBuffer(options: LiveHeaderOptions): Uint8Array {
  const { header, startTime, mark, eventsLost, buffersLost } = options;
  const { length } = header;
  if (length !== SIZE_32 && length !== SIZE_64) {
    throw new RangeError(`A TRACE_LOGFILE_HEADER has ${SIZE_32} or ${SIZE_64} bytes, not ${length}.`);
  }
  const recordSize = RECORD_HEADER_SIZE + length + NAMES_SIZE;
  const size = BUFFER_HEADER_SIZE + recordSize;
  const bytes = new Uint8Array(size);
  const view = viewOf(bytes);
  view.setUint32(0, size, true);
  view.setBigInt64(TIME, mark, true);
  view.setUint32(FILLED_BYTES, size, true);
  view.setUint16(TYPE, HEADER_BUFFER, true);
  const record = BUFFER_HEADER_SIZE;
  view.setUint16(record, VERSION, true);
  view.setUint16(record + 2, MARK | (length === SIZE_32 ? RecordType.System32 : RecordType.System64), true);
  view.setUint16(record + 4, recordSize, true);
  view.setBigInt64(record + 0x10, startTime, true);
  const at = record + RECORD_HEADER_SIZE;
  const end = at + length;
  bytes.set(header, at);
  view.setBigInt64(at + END_TIME, 0n, true);
  view.setUint32(at + MODE, LogFileMode.RealTime, true);
  view.setUint32(at + BUFFERS_WRITTEN, 0, true);
  view.setUint32(at + EVENTS_LOST, eventsLost, true);
  view.setBigInt64(end - START_TIME_FROM_END, startTime, true);
  view.setUint32(end - CLOCK_TYPE_FROM_END, ClockType.SystemTime, true);
  view.setUint32(end - BUFFERS_LOST_FROM_END, buffersLost, true);
  return bytes;
}

/** Whether a stream that starts so is one, and no file. @param head of an .etl */
export function isLiveHead(head: Uint8Array): boolean {
  if (head.length < MODE_IN_STREAM + 4) return false;
  const mode = viewOf(head).getUint32(MODE_IN_STREAM, true);
  return (mode & (LogFileMode.RealTime | FILE_MODES)) === LogFileMode.RealTime;
}

/** The mark, if the buffer is such a header. @param bytes of a whole buffer */
export function liveMarkOf(bytes: Uint8Array): bigint | undefined {
  const view = viewOf(bytes);
  return view.getUint16(TYPE, true) === HEADER_BUFFER ? view.getBigInt64(TIME, true) : undefined;
}
