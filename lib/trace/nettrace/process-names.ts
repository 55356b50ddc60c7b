/** Names of processes, as events tell them by the way. */
import type { NetTraceMetadata } from '../../wire/nettrace/metadata.ts';
import type { TraceEvent } from '../trace-event.ts';

/** Whether events of this metadata tell the name of their process. */
export function tellsProcess(metadata: NetTraceMetadata): boolean {
  const { provider, name } = metadata;
  return (
    (provider === 'Microsoft-DotNETCore-EventPipe' && name === 'ProcessInfo') ||
    (provider === 'Universal.System' && name === 'ProcessCreate')
  );
}

/** Of an event for which `tellsProcess` holds. */
export function processNameOf(event: TraceEvent): string | undefined {
  const { Name: name, CommandLine: commandLine } = event.payload;
  if (typeof name === 'string') return name || undefined;
  return typeof commandLine === 'string' ? programOf(commandLine) : undefined;
}

/** `dotnet` of `"C:\Program Files\dotnet\dotnet.exe" run`. */
function programOf(commandLine: string): string | undefined {
  const path = /^\s*(?:"([^"]*)"|(\S+))/.exec(commandLine);
  const file = (path?.[1] ?? path?.[2] ?? '').split(/[/\\]/).at(-1) ?? '';
  return file.replace(/\.exe$/i, '') || undefined;
}
