/** The first block of a nettrace, which describes the trace itself. */
import { FormatVersion } from '../constants.ts';
import { NetTraceBytes } from './byte-writer.ts';
import type { WrittenTrace, WrittenVersion } from './trace-parts.ts';

export function traceBlock(version: WrittenVersion, trace: WrittenTrace): Uint8Array {
  const bytes = new NetTraceBytes();
  writeSystemTime(bytes, trace.startTimeMs);
  bytes.uint64(trace.syncTicks);
  bytes.uint64(trace.ticksPerSecond);
  bytes.uint32(trace.pointerSize);
  if (version === FormatVersion.V4) {
    bytes.uint32(trace.processId ?? 0);
    bytes.uint32(trace.processors ?? 0);
    bytes.uint32(trace.samplingInterval ?? 0);
    return bytes.take();
  }
  const properties = new Map(trace.properties);
  const known = {
    HardwareThreadCount: trace.processors,
    ProcessId: trace.processId,
    ExpectedCPUSamplingRate: trace.samplingInterval,
  };
  for (const [key, value] of Object.entries(known)) {
    if (value !== undefined) properties.set(key, String(value));
  }
  bytes.uint32(properties.size);
  for (const [key, value] of properties) {
    bytes.utf8(key);
    bytes.utf8(value);
  }
  return bytes.take();
}

/** A SYSTEMTIME: year, month, day of week, day, hour, minute, second, millisecond; UTC. */
function writeSystemTime(bytes: NetTraceBytes, ms: number): void {
  const date = new Date(ms);
  bytes.uint16(date.getUTCFullYear());
  bytes.uint16(date.getUTCMonth() + 1);
  bytes.uint16(date.getUTCDay());
  bytes.uint16(date.getUTCDate());
  bytes.uint16(date.getUTCHours());
  bytes.uint16(date.getUTCMinutes());
  bytes.uint16(date.getUTCSeconds());
  bytes.uint16(date.getUTCMilliseconds());
}
