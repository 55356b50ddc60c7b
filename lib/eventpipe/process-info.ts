/**
 * What .NET's tools look for at the end of a trace, to name its process.
 *
 * Source: dotnet/runtime, src/native/eventpipe/ep-event-source.c.
 */

import { thisProcess } from '../listen/this-process.ts';
import { TypeCode } from '../wire/nettrace/constants.ts';
import { NetTraceBytes } from '../wire/nettrace/write/byte-writer.ts';
import type { NetTraceWriter } from '../wire/nettrace/write/nettrace-writer.ts';
import type { ThreadHandle, WrittenMetadata } from '../wire/nettrace/write/written.ts';

const PROCESS_INFO: WrittenMetadata = {
  provider: 'Microsoft-DotNETCore-EventPipe',
  eventId: 1,
  name: 'ProcessInfo',
  keywords: 0n,
  version: 0,
  level: 0,
  fields: ['CommandLine', 'OSInformation', 'ArchInformation'].map((name) => ({
    name,
    type: { code: TypeCode.Utf16Text },
  })),
};

export function writeProcessInfo(writer: NetTraceWriter, thread: ThreadHandle, ticks: bigint): void {
  const { commandLine, operatingSystem, architecture } = thisProcess();
  const payload = new NetTraceBytes();
  for (const text of [commandLine, operatingSystem, architecture]) payload.utf16Terminated(text);
  writer.write({ metadataId: writer.define(PROCESS_INFO), thread, ticks, payload: payload.take() });
}
