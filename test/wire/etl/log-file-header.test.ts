import { describe, expect, it } from 'vitest';
import { openBuffer } from '../../../lib/wire/etl/buffer.ts';
import { EtlClock } from '../../../lib/wire/etl/clock.ts';
import { type LogFileHeader, readLogFileHeader } from '../../../lib/wire/etl/log-file-header.ts';
import { RecordCursor } from '../../../lib/wire/etl/record-cursor.ts';
import {
  bufferBytes,
  kernelRecord,
  logFileHeader,
  RAW_START,
  START_NS,
  START_TIME,
  utf16,
} from './etl-bytes.ts';

function headerOf(record: Uint8Array): LogFileHeader {
  const cursor = new RecordCursor(openBuffer(bufferBytes([record]), 0), { high: 0, low: 0 });
  cursor.next();
  return readLogFileHeader(cursor);
}

describe('a log file header', () => {
  it.each([true, false])('describes the session (32-bit: %s)', (is32Bit) => {
    expect(headerOf(logFileHeader({ is32Bit, eventsLost: 3, buffersLost: 4 }))).toEqual({
      bufferSize: 65536,
      osMajorVersion: 10,
      osMinorVersion: 0,
      subVersion: 1,
      subMinorVersion: 5,
      osBuild: 19045,
      processors: 4,
      endTime: START_TIME + 600_000_000n,
      timerResolution: 156250,
      maximumFileSize: 100,
      mode: 1,
      buffersWritten: 0,
      startBuffers: 1,
      pointerSize: is32Bit ? 4 : 8,
      eventsLost: 3,
      cpuMHz: 2000,
      timeZoneBiasMinutes: -60,
      bootTime: START_TIME - 1_000_000_000n,
      performanceFrequency: 10_000_000n,
      startTime: START_TIME,
      clockType: 1,
      buffersLost: 4,
      loggerName: 'Session',
      logFileName: 'C:\\trace.etl',
      rawTime: RAW_START,
      processId: 10,
      threadId: 11,
      version: 2,
      isBeforeVista: false,
    });
  });

  it('may lack names, or the end of one', () => {
    expect(headerOf(logFileHeader({ names: [] }))).toMatchObject({ loggerName: '', logFileName: '' });
    const names = utf16('Session\0C:\\tr');
    expect(headerOf(logFileHeader({ names }))).toMatchObject({
      loggerName: 'Session',
      logFileName: 'C:\\tr',
    });
  });

  it('cannot be another record, nor a shorter one', () => {
    const other = kernelRecord({ group: 3, opcode: 1, time: 1n });
    expect(() => headerOf(other)).toThrow('The first record is not the header of the log file. (at byte 72)');
    const short = kernelRecord({ group: 0, opcode: 0, time: 1n, payload: [1, 2, 3] });
    expect(() => headerOf(short)).toThrow(
      'The header of the log file cannot have 3 bytes; it has at least 280.',
    );
  });
});

describe('the clock', () => {
  const clockOf = (clockType: number, frequency: bigint, cpuMHz: number) =>
    new EtlClock(headerOf(logFileHeader({ clockType, frequency, cpuMHz })));

  it('counts ticks of the performance counter (1)', () => {
    const clock = clockOf(1, 1_818_300n, 0);
    expect(clock.start).toEqual({ high: 0, low: Number(RAW_START) });
    // What Windows itself makes of 90458426 ticks at that frequency.
    expect(clock.fileTime(90_458_426)).toBe(START_TIME + 497_489_006n);
    expect(clock.nanoseconds(0)).toBe(START_NS);
    expect(clock.fileTime(-1_818_300)).toBe(START_TIME - 10_000_000n);
  });

  it('counts units of 100 ns (2)', () => {
    expect(clockOf(2, 10n, 0).fileTime(12_345)).toBe(START_TIME + 12_345n);
  });

  it('counts processor cycles (3)', () => {
    expect(clockOf(3, 10n, 2500).fileTime(5_001)).toBe(START_TIME + 20n);
  });

  it('counts units of 100 ns if the header does not say', () => {
    expect(clockOf(1, 0n, 0).fileTime(7)).toBe(START_TIME + 7n);
    expect(clockOf(3, 1n, 0).fileTime(7)).toBe(START_TIME + 7n);
    expect(clockOf(99, 1n, 0).fileTime(7)).toBe(START_TIME + 7n);
  });
});
