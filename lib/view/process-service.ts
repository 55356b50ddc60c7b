/** Which service a process is: the one rule for tables and spans, unless the user names the service. */

/** What is known of the processes of a trace, so far. */
export interface KnownProcesses {
  readonly processNames?: ReadonlyMap<number, string>;
  /** Started by process 2, which on Linux starts the kernel's own threads. */
  readonly kernelProcesses?: ReadonlySet<number> | undefined;
}

/** OpenTelemetry has this name for processes without one. */
export const UNKNOWN_SERVICE = 'unknown_service';
/** Its threads have process ids, and names such as `kworker/0:1`. */
export const KERNEL_SERVICE = 'kernel';
const KERNEL_STARTER = 2;
/** The name is checked, too: in the namespace of a container, process 2 may be any. */
const KERNEL_STARTER_NAME = 'kthreadd';

/** Returns undefined if the service is not known yet. */
export function serviceOf(
  { processNames, kernelProcesses }: KnownProcesses,
  processId: number | undefined,
): string | undefined {
  if (processId === undefined) return undefined;
  const isLinux = processNames?.get(KERNEL_STARTER) === KERNEL_STARTER_NAME;
  const isKernel = processId === 0 || processId === KERNEL_STARTER || kernelProcesses?.has(processId);
  return isLinux && isKernel ? KERNEL_SERVICE : processNames?.get(processId);
}
