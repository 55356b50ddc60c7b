/**
 * The names by which tools find a process's diagnostic port.
 *
 * Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md (Transport), and the runtime's choice of the
 * key.
 */

export interface PortName {
  /** As seen in the process's own namespace. */
  readonly processId: number;
  /** Distinguishes the process from earlier ones with the same id whose sockets still exist; pipes have no key. */
  readonly key: string | undefined;
}

/** Windows' folder of named pipes. */
export const PIPE_FOLDER = '\\\\.\\pipe\\';

/** In /proc/PID/stat, among the fields after the command name: field 22 overall. */
const START_TIME_INDEX = 19;

/** A Unix socket's, in TMPDIR. */
export function socketName(processId: number, key: string): string {
  return `dotnet-diagnostic-${processId}-${key}-socket`;
}

/** A Windows pipe's, in `PIPE_FOLDER`. */
export function pipeName(processId: number): string {
  return `dotnet-diagnostic-${processId}`;
}

/** @returns undefined if the file or pipe is not a port */
export function parsePortName(name: string): PortName | undefined {
  const { processId, key } =
    /^dotnet-diagnostic-(?<processId>\d{1,10})(?:-(?<key>\d{1,20})-socket)?$/.exec(name)?.groups ?? {};
  return processId === undefined ? undefined : { processId: Number(processId), key };
}

/**
 * The key of a process on Linux: its start time in clock ticks since the system booted.
 *
 * @param stat the text of /proc/PID/stat
 * @returns `0`, like the runtime, if the text does not contain it
 */
export function startTimeKey(stat: string): string {
  // The command name may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const startTime = fields[START_TIME_INDEX] ?? '';
  return /^\d+$/.test(startTime) ? startTime : '0';
}
