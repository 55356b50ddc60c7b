/** What a nettrace says about itself before its events. */
import type { Block } from './block.ts';
import { FormatVersion } from './constants.ts';
import { Cursor } from './cursor.ts';

export interface TraceHead {
  /** See `FormatVersion`. */
  readonly formatVersion: number;
  /** The time of day at `syncTicks`, in milliseconds since 1970. */
  readonly startTimeMs: number;
  /** The clock of the event timestamps at that time, and its ticks per second. */
  readonly syncTicks: bigint;
  readonly ticksPerSecond: bigint;
  /** The size of addresses in bytes. */
  readonly pointerSize: number;
  /**
   * This, `processors` and `samplingInterval` are undefined if the trace does not contain them.
   */
  readonly processId: number | undefined;
  readonly processors: number | undefined;
  /** Nanoseconds between CPU samples. */
  readonly samplingInterval: number | undefined;
  /** Version 6 has all other properties here, and the ones above. */
  readonly properties: ReadonlyMap<string, string>;
}

/** @throws TraceError */
export function readTraceHead(block: Block, formatVersion: number): TraceHead {
  const cursor = new Cursor(block);
  const startTimeMs = readSystemTime(cursor);
  const syncTicks = cursor.int64();
  const ticksPerSecond = cursor.int64();
  if (ticksPerSecond <= 0n) {
    cursor.fail(`A clock cannot have ${ticksPerSecond} ticks per second.`);
  }
  const pointerSize = cursor.int32();
  if (pointerSize !== 4 && pointerSize !== 8) {
    cursor.fail(`Addresses cannot have ${pointerSize} bytes.`);
  }
  const clock = { formatVersion, startTimeMs, syncTicks, ticksPerSecond, pointerSize };
  if (formatVersion < FormatVersion.V6) {
    const processId = cursor.int32();
    const processors = cursor.int32();
    return { ...clock, processId, processors, samplingInterval: cursor.int32(), properties: new Map() };
  }
  const properties = readProperties(cursor);
  return {
    ...clock,
    processId: numberOf(properties.get('ProcessId')),
    processors: numberOf(properties.get('HardwareThreadCount')),
    samplingInterval: numberOf(properties.get('ExpectedCPUSamplingRate')),
    properties,
  };
}

/** A SYSTEMTIME: year, month, day of week, day, hour, minute, second, millisecond; UTC. */
function readSystemTime(cursor: Cursor): number {
  const year = cursor.int16();
  const month = cursor.int16();
  cursor.skip(2);
  const [day, hour, minute, second, millisecond] = Array.from({ length: 5 }, () => cursor.int16());
  return Date.UTC(year, month - 1, day, hour, minute, second, millisecond);
}

function readProperties(cursor: Cursor): ReadonlyMap<string, string> {
  const properties = new Map<string, string>();
  for (let left = cursor.int32(); left > 0; left--) properties.set(cursor.utf8(), cursor.utf8());
  return properties;
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}
