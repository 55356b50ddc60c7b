/** What a process is called, by what it tells of itself. */
import type { ProcessInfo } from '../wire/diagnostics-ipc/process-info.ts';

/** What it runs; of old runtimes, which do not tell, the program's file. */
export function processName({ entryAssembly, commandLine }: ProcessInfo): string {
  if (entryAssembly !== undefined && entryAssembly !== '') return entryAssembly;
  const { quoted, plain } = /^"(?<quoted>[^"]*)"|^(?<plain>\S*)/.exec(commandLine)?.groups ?? {};
  return (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? '';
}
