/** The providers of .NET's runtime and libraries, whose events no manifest in a trace describes. */
import type { EventDescription } from '../packed/field.ts';

const PROVIDERS: ReadonlyMap<string, string> = new Map([
  ['e13c0d23-ccbc-4e12-931b-d9cc2eee27e4', 'Microsoft-Windows-DotNETRuntime'],
  ['a669021c-c450-4609-a035-5af59af4df18', 'Microsoft-Windows-DotNETRuntimeRundown'],
  ['763fd754-7086-4dfe-95eb-c01a46faf4ca', 'Microsoft-Windows-DotNETRuntimePrivate'],
  ['3c530d44-97ae-513a-1e6d-783e8f8e03a9', 'Microsoft-DotNETCore-SampleProfiler'],
  ['2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5', 'System.Threading.Tasks.TplEventSource'],
  ['8e9f5090-2d75-4d03-8a81-e5afbf85daf1', 'System.Diagnostics.Eventing.FrameworkEventSource'],
]);

/** @param guid lower case */
export function dotnetProviderName(guid: string): string | undefined {
  return PROVIDERS.get(guid);
}

/**
 * @param providerGuid lower case
 * @param version where it is not known itself, the nearest one below is
 */
export function dotnetEvent(
  _providerGuid: string,
  _id: number,
  _version: number,
): EventDescription | undefined {
  return undefined;
}
