/**
 * Events of .NET's runtime, in a form in which its tools recognize samples and method names. Like the runtime's own,
 * they are described only by provider and id, since tools know the fields.
 *
 * Source: the runtime's manifest (dotnet/runtime, src/coreclr/vm/ClrEtwAll.man), and traces of .NET 5.
 */
import type { WrittenMetadata } from '../../wire/nettrace/write/trace-parts.ts';

const INFORMATIONAL = 4;
const LOADER = 0x8n;
const METHODS = 0x30n;

export const SAMPLE_PROFILER = 'Microsoft-DotNETCore-SampleProfiler';

/** The type of a sample, in its payload. */
export const SampleType = { External: 1, Managed: 2 } as const;

export const THREAD_SAMPLE: WrittenMetadata = {
  provider: SAMPLE_PROFILER,
  providerGuid: '3c530d44-97ae-513a-1e6d-783e8f8e03a9',
  eventId: 0,
  name: '',
  keywords: 0n,
  version: 0,
  level: INFORMATIONAL,
  fields: [],
};

/** Says which code exists: what tools read before or after it is named by it, unlike by the events of a rundown's end. */
export const METHOD_DC_START_VERBOSE = rundownEvent(143, METHODS);
export const DOMAIN_MODULE_DC_START = rundownEvent(151, LOADER);
export const MODULE_DC_START = rundownEvent(153, LOADER);

function rundownEvent(eventId: number, keywords: bigint): WrittenMetadata {
  return {
    provider: 'Microsoft-Windows-DotNETRuntimeRundown',
    providerGuid: 'a669021c-c450-4609-a035-5af59af4df18',
    eventId,
    name: '',
    keywords,
    version: 1,
    level: INFORMATIONAL,
    fields: [],
  };
}
