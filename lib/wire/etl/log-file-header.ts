/**
 * The trace's description of itself, in the first record of its first buffer (TRACE_LOGFILE_HEADER). It contains two
 * pointers, so it has two forms; the record type determines which, not `pointerSize`, because 32-bit programs write the
 * 32-bit form even on 64-bit Windows. The names of the session and the file follow. Source: Windows SDK `evntrace.h`.
 */

import { decodeUtf16 } from '../text.ts';
import { TraceError } from '../trace-error.ts';
import type { EtlBuffer, EtlRecord } from './buffer.ts';
import { BUFFER_HEADER_SIZE, KernelGroup, RECORD_MARK, RecordType } from './constants.ts';
import { groupOf, headerEndOf, opcodeOf, processIdOf, rawTimeOf, threadIdOf, versionOf } from './record.ts';

export interface LogFileHeader {
  readonly bufferSize: number;
  readonly osMajorVersion: number;
  readonly osMinorVersion: number;
  /** The version of the logging itself, not of Windows. */
  readonly subVersion: number;
  readonly subMinorVersion: number;
  readonly osBuild: number;
  readonly processors: number;
  /** The three times are FILETIME; this one is 0 if the session has not been closed. */
  readonly endTime: bigint;
  readonly startTime: bigint;
  readonly bootTime: bigint;
  /** The unit is 100 ns. */
  readonly timerResolution: number;
  /** The size is in MB; 0: no limit. */
  readonly maximumFileSize: number;
  /** See `LogFileMode`. */
  readonly mode: number;
  /** 0 in files of sessions that have not been closed. */
  readonly buffersWritten: number;
  readonly startBuffers: number;
  readonly pointerSize: number;
  readonly eventsLost: number;
  readonly buffersLost: number;
  readonly cpuMHz: number;
  /** This many minutes lead from local time to UTC. */
  readonly timeZoneBiasMinutes: number;
  /** Ticks per second of the performance counter. */
  readonly performanceFrequency: bigint;
  /** See `ClockType`. */
  readonly clockType: number;
  readonly loggerName: string;
  readonly logFileName: string;
  /** The record's own time: the instant that is `startTime`. */
  readonly rawTime: bigint;
  readonly processId: number;
  readonly threadId: number;
  /** The version of the record: 2; before Windows Vista 1. */
  readonly version: number;
  /** Then buffers have another form, too. */
  readonly isBeforeVista: boolean;
}

const VISTA = 6;

const POINTERS = 0x38;
/** Offsets from the end of the pointers. 4 unused bytes follow the time zone. */
const TIME_ZONE = 0x00;
const BOOT_TIME = 0xb0;
const PERFORMANCE_FREQUENCY = 0xb8;
const START_TIME = 0xc0;
const CLOCK_TYPE = 0xc8;
const BUFFERS_LOST = 0xcc;
const NAMES = 0xd0;

/** Whether the record is such a header: the first one of the first buffer, and of those that a later session appended. */
export function isLogFileHeader({ view }: EtlBuffer, offset: number): boolean {
  if (offset !== BUFFER_HEADER_SIZE || offset + 8 > view.byteLength) return false;
  const marker = view.getUint32(offset, true);
  const type = (marker >>> 16) & 0xff;
  return (
    marker >>> 24 === RECORD_MARK &&
    (type === RecordType.System64 || type === RecordType.System32) &&
    view.getUint16(offset + 6, true) === 0
  );
}

/**
 * @param record the first of the first buffer
 * @throws TraceError
 */
export function readLogFileHeader(record: EtlRecord): LogFileHeader {
  const { type, buffer } = record;
  const is64Bit = type === RecordType.System64;
  if (
    (!is64Bit && type !== RecordType.System32) ||
    groupOf(record) !== KernelGroup.Header ||
    opcodeOf(record) !== 0
  ) {
    throw new TraceError(
      'malformed',
      buffer.position + record.offset,
      'The first record is not the header of the log file.',
    );
  }
  const { view } = buffer;
  const at = headerEndOf(record);
  const rest = at + POINTERS + 2 * (is64Bit ? 8 : 4);
  const names = rest + NAMES;
  if (names > record.end) {
    throw new TraceError(
      'malformed',
      buffer.position + record.offset,
      `The header of the log file cannot have ${record.end - at} bytes; it has at least ${names - at}.`,
    );
  }
  const u32 = (offset: number) => view.getUint32(offset, true);
  const loggerName = readName(view, names, record.end);
  const logFileName = readName(view, names + 2 * loggerName.length + 2, record.end);
  return {
    bufferSize: u32(at),
    osMajorVersion: view.getUint8(at + 0x04),
    osMinorVersion: view.getUint8(at + 0x05),
    subVersion: view.getUint8(at + 0x06),
    subMinorVersion: view.getUint8(at + 0x07),
    osBuild: u32(at + 0x08),
    processors: u32(at + 0x0c),
    endTime: view.getBigInt64(at + 0x10, true),
    timerResolution: u32(at + 0x18),
    maximumFileSize: u32(at + 0x1c),
    mode: u32(at + 0x20),
    buffersWritten: u32(at + 0x24),
    startBuffers: u32(at + 0x28),
    pointerSize: u32(at + 0x2c) === 4 ? 4 : 8,
    eventsLost: u32(at + 0x30),
    cpuMHz: u32(at + 0x34),
    timeZoneBiasMinutes: view.getInt32(rest + TIME_ZONE, true),
    bootTime: view.getBigInt64(rest + BOOT_TIME, true),
    performanceFrequency: view.getBigInt64(rest + PERFORMANCE_FREQUENCY, true),
    startTime: view.getBigInt64(rest + START_TIME, true),
    clockType: u32(rest + CLOCK_TYPE),
    buffersLost: u32(rest + BUFFERS_LOST),
    loggerName,
    logFileName,
    rawTime: rawTimeOf(record) ?? 0n,
    processId: processIdOf(record) ?? 0,
    threadId: threadIdOf(record) ?? 0,
    version: versionOf(record),
    isBeforeVista: versionOf(record) < 2 && view.getUint8(at + 0x04) < VISTA,
  };
}

function readName(view: DataView, start: number, limit: number): string {
  let end = start;
  while (end + 2 <= limit && view.getUint16(end, true) !== 0) end += 2;
  return end > start
    ? decodeUtf16(new DataView(view.buffer, view.byteOffset + start, end - start), true)
    : '';
}
