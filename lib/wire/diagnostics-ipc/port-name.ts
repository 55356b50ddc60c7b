/**
 * The names by which tools find a process's diagnostic port.
 *
 * Source: dotnet/diagnostics, documentation/design-docs/ipc-protocol.md (Transport), and the runtime's choice of the
 * key.
 */

interface PortName {
  /** The id in the process's own namespace. */
  readonly processId: number;
  /** Distinguishes the process from earlier ones with the same id whose sockets still exist; pipes have no key. */
  readonly key: string | undefined;
}

/** Windows' folder of named pipes. */
export const PIPE_FOLDER = '\\\\.\\pipe\\';

/** The start time is at this index of the fields after the command name in /proc/PID/stat: field 22 overall. */
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
    /^dotnet-diagnostic-(?<processId>\d{1,10})(?:-(?<key>\d{1,24})-socket)?$/.exec(name)?.groups ?? {};
  return processId === undefined ? undefined : { processId: Number(processId), key };
}

/** Linux, include/linux/proc_ns.h: PROC_PID_INIT_INO. */
const INITIAL_NAMESPACE = '4026531836';

/**
 * The key of a process's port on Linux. As in .NET's runtime, it is the start time. Two containers that share a
 * temporary folder can have processes with the same id and start time: there, the number of the pid namespace follows.
 * Tools accept any digits.
 *
 * @param stat the text of /proc/PID/stat
 * @param namespace what /proc/PID/ns/pid links to; undefined if it is not known
 */
export function portKey(stat: string, namespace: string | undefined): string {
  const inode = /^pid:\[(\d{1,10})\]$/.exec(namespace ?? '')?.[1] ?? INITIAL_NAMESPACE;
  return startTimeKey(stat) + (inode === INITIAL_NAMESPACE ? '' : inode);
}

/**
 * The start time of a process on Linux in clock ticks since the system booted: the key of .NET's runtime.
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
