/**
 * The names under which a process's diagnostic port is found.
 *
 * Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md (Transport), and what the runtime takes for
 * the key.
 */

export interface PortName {
  /** As the process itself sees it, in its own namespace. */
  readonly processId: number;
  /** Tells the process from earlier ones of the same id whose sockets are still there; pipes have none. */
  readonly key: string | undefined;
}

/** Windows' folder of named pipes. */
export const PIPE_FOLDER = '\\\\.\\pipe\\';

/** In /proc/PID/stat, of what stands behind the command's name: field 22 of all. */
const START_TIME_INDEX = 19;

/** A Unix socket's, in TMPDIR. */
export function socketName(processId: number, key: string): string {
  return `dotnet-diagnostic-${processId}-${key}-socket`;
}

/** A Windows pipe's, in `PIPE_FOLDER`. */
export function pipeName(processId: number): string {
  return `dotnet-diagnostic-${processId}`;
}

/** @returns undefined where the file or pipe is no port's */
export function parsePortName(name: string): PortName | undefined {
  const { processId, key } =
    /^dotnet-diagnostic-(?<processId>\d{1,10})(?:-(?<key>\d{1,20})-socket)?$/.exec(name)?.groups ?? {};
  return processId === undefined ? undefined : { processId: Number(processId), key };
}

/**
 * The key of a process on Linux: when it started, in clock ticks since the system did.
 *
 * @param stat the text of /proc/PID/stat
 * @returns `0`, as the runtime has it, where the text does not tell
 */
export function startTimeKey(stat: string): string {
  // The command's name may hold blanks and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = fields[START_TIME_INDEX] ?? '';
  return /^\d+$/.test(startTime) ? startTime : '0';
}
