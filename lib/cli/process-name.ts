/** The name of a process, from what it reports about itself. */
import type { ProcessInfo } from '../wire/diagnostics-ipc/process-info.ts';

/** The script or assembly; for old runtimes, which do not report it, the program's file. */
export function processName({ entryAssembly, commandLine }: ProcessInfo): string {
  if (entryAssembly !== undefined && entryAssembly !== '') return entryAssembly;
  const { quoted, plain } = /^"(?<quoted>[^"]*)"|^(?<plain>\S*)/.exec(commandLine)?.groups ?? {};
  return (quoted ?? plain ?? '').split(/[/\\]/).at(-1) ?? '';
}
