/** The providers of .NET's runtime and base library, whose events are not described in older traces. */
import type { EventDescription } from '../wire/packed/field.ts';
import { EVENT_PIPE, FRAMEWORK, SAMPLE_PROFILER, TASK_PARALLEL_LIBRARY } from './dotnet-libraries.ts';
import { DOTNET_PRIVATE } from './dotnet-private.ts';
import { DOTNET_RUNDOWN } from './dotnet-rundown.ts';
import { DOTNET_RUNTIME } from './dotnet-runtime.ts';
import { type EventTable, findEvent } from './event-table.ts';

/** The key is the provider's GUID, lower case. */
export const DOTNET_TABLES: ReadonlyMap<string, EventTable> = new Map([
  ['e13c0d23-ccbc-4e12-931b-d9cc2eee27e4', DOTNET_RUNTIME],
  ['a669021c-c450-4609-a035-5af59af4df18', DOTNET_RUNDOWN],
  ['763fd754-7086-4dfe-95eb-c01a46faf4ca', DOTNET_PRIVATE],
  ['3c530d44-97ae-513a-1e6d-783e8f8e03a9', SAMPLE_PROFILER],
  ['92f528a6-f5b8-5160-a7ee-b33da7739e29', EVENT_PIPE],
  ['2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5', TASK_PARALLEL_LIBRARY],
  ['8e9f5090-2d75-4d03-8a81-e5afbf85daf1', FRAMEWORK],
]);

/** @param guid lower case */
export function dotnetProviderName(guid: string): string | undefined {
  return DOTNET_TABLES.get(guid)?.provider;
}

/**
 * @param providerGuid lower case
 * @param version if unknown, the nearest lower one applies
 */
export function dotnetEvent(providerGuid: string, id: number, version: number): EventDescription | undefined {
  const table = DOTNET_TABLES.get(providerGuid);
  return table && findEvent(table, id, version);
}
