/** What an .etl file tells of itself, from its header. */

import { nanosecondsOf } from '../../wire/etl/clock.ts';
import { ClockType } from '../../wire/etl/constants.ts';
import type { LogFileHeader } from '../../wire/etl/log-file-header.ts';
import { timeText } from '../time-text.ts';
import type { TraceInfo } from '../trace-reader.ts';

const CLOCK_NAMES: ReadonlyMap<number, string> = new Map([
  [ClockType.PerformanceCounter, 'performance counter'],
  [ClockType.SystemTime, 'system time'],
  [ClockType.CpuCycles, 'CPU cycles'],
]);

export function traceInfoOf(header: LogFileHeader): TraceInfo {
  const endTime = header.endTime > 0n ? { endTime: nanosecondsOf(header.endTime) } : {};
  return {
    format: 'etl',
    startTime: nanosecondsOf(header.startTime),
    ...endTime,
    hasWallTime: true,
    pointerSize: header.pointerSize,
    processors: header.processors,
    properties: {
      loggerName: header.loggerName,
      logFileName: header.logFileName,
      osVersion: `${header.osMajorVersion}.${header.osMinorVersion}.${header.osBuild}`,
      mode: `0x${header.mode.toString(16)}`,
      bufferSize: String(header.bufferSize),
      buffersWritten: String(header.buffersWritten),
      cpuMHz: String(header.cpuMHz),
      clock: CLOCK_NAMES.get(header.clockType) ?? String(header.clockType),
      clockFrequency: String(header.performanceFrequency),
      timerResolution: String(header.timerResolution),
      bootTime: timeText(nanosecondsOf(header.bootTime)),
      timeZoneBiasMinutes: String(header.timeZoneBiasMinutes),
    },
  };
}
