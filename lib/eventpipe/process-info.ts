/**
 * What a trace says about its process: the clock and the machine at the start, and at the end how .NET's tools name the
 * process. Source of the latter: dotnet/runtime, src/native/eventpipe/ep-event-source.c.
 */
import { readFileSync, readlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { entryPoint, thisProcess } from '../listen/this-process.ts';
import { timestamp } from '../listen/timestamp.ts';
import { ENTRY_POINT, TypeCode } from '../wire/nettrace/constants.ts';
import { NetTraceBytes } from '../wire/nettrace/write/byte-writer.ts';
import type {
  EventSink,
  ThreadHandle,
  WrittenMetadata,
  WrittenTrace,
} from '../wire/nettrace/write/trace-parts.ts';
import type { SamplingRequest } from './cpu-samples/cpu-samples.ts';

const NS_PER_MS = 1_000_000n;
const NS_PER_SECOND = 1_000_000_000n;

export const POINTER_SIZE = process.arch === 'arm' || process.arch === 'ia32' ? 4 : 8;

/** This field is of this package: .NET's event does not have it. */
const PROCESS_INFO: WrittenMetadata = {
  provider: 'Microsoft-DotNETCore-EventPipe',
  eventId: 1,
  name: 'ProcessInfo',
  keywords: 0n,
  version: 0,
  level: 0,
  fields: ['CommandLine', 'OSInformation', 'ArchInformation', ENTRY_POINT].map((name) => ({
    name,
    type: { code: TypeCode.Utf16Text },
  })),
};

/** The clock counts the events' times, in nanoseconds since 1970. The trace's start has only milliseconds. */
export function traceOfThisProcess(sampling: SamplingRequest | undefined): WrittenTrace {
  const startTimeMs = timestamp() / NS_PER_MS;
  return {
    startTimeMs: Number(startTimeMs),
    syncTicks: startTimeMs * NS_PER_MS,
    ticksPerSecond: NS_PER_SECOND,
    pointerSize: POINTER_SIZE,
    processId: process.pid,
    processors: availableParallelism(),
    samplingInterval: sampling && sampling.intervalMs * Number(NS_PER_MS),
    // Readers of a stream learn it before its first event.
    properties: [[ENTRY_POINT, entryPoint()], ...kernel()],
  };
}

/** Processes of one boot share its clock, in whatever container they are; those of a namespace, the process ids. */
function kernel(): [key: string, value: string][] {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return [
      ['BootId', boot],
      ['PidNamespace', readlinkSync('/proc/self/ns/pid')],
    ];
  } catch {
    // Not on other systems, and not without /proc.
    return [];
  }
}

export function writeProcessInfo(writer: EventSink, thread: ThreadHandle, ticks: bigint): void {
  const { commandLine, operatingSystem, architecture, entryAssembly = '' } = thisProcess();
  const payload = new NetTraceBytes();
  for (const text of [commandLine, operatingSystem, architecture, entryAssembly])
    payload.utf16Terminated(text);
  writer.write({ metadataId: writer.define(PROCESS_INFO), thread, ticks, payload: payload.take() });
}
