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
/** The keywords of the events that enclose those of methods. */
const RUNDOWN = 0x2_0038n;

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

/** Begins the rundown at the end of a session. */
export const METHOD_DC_END_INIT = rundownEvent(148, 1, RUNDOWN);
export const METHOD_DC_END_VERBOSE = rundownEvent(144, 1, METHODS);
export const DOMAIN_MODULE_DC_END = rundownEvent(152, 1, LOADER);
export const MODULE_DC_END = rundownEvent(154, 1, LOADER);
export const METHOD_DC_END_COMPLETE = rundownEvent(146, 1, RUNDOWN);

function rundownEvent(eventId: number, version: number, keywords: bigint): WrittenMetadata {
  return {
    provider: 'Microsoft-Windows-DotNETRuntimeRundown',
    providerGuid: 'a669021c-c450-4609-a035-5af59af4df18',
    eventId,
    name: '',
    keywords,
    version,
    level: INFORMATIONAL,
    fields: [],
  };
}
