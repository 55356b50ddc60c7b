/** GUIDs of .NET's providers that were given, not made from the name. Source: .NET's ClrEtwAll.man and sources. */

const FIXED: ReadonlyMap<string, string> = new Map([
  ['Microsoft-Windows-DotNETRuntime', 'e13c0d23-ccbc-4e12-931b-d9cc2eee27e4'],
  ['Microsoft-Windows-DotNETRuntimeRundown', 'a669021c-c450-4609-a035-5af59af4df18'],
  ['Microsoft-Windows-DotNETRuntimePrivate', '763fd754-7086-4dfe-95eb-c01a46faf4ca'],
  ['System.Threading.Tasks.TplEventSource', '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5'],
  ['System.Diagnostics.Eventing.FrameworkEventSource', '8e9f5090-2d75-4d03-8a81-e5afbf85daf1'],
]);

/** A nettrace has names of providers, and mostly not their GUIDs. */
export function fixedProviderGuid(provider: string): string | undefined {
  return FIXED.get(provider);
}
