/**
 * Runs commands on a Linux kernel with CONFIG_USER_EVENTS, for tests.
 *
 * `uml` is user-mode Linux, an ordinary process: it starts in half a second and runs JavaScript at nearly the host's
 * speed, one thread at a time. `qemu` is a different, unpatched kernel in an emulated x86-64 machine, about ten times
 * slower.
 */
export type KernelKind = 'uml' | 'qemu';

export interface VmOptions {
  /** The guest to run in. By default the running kernel if it has user_events, otherwise `uml`. */
  kernel?: KernelKind;
  /** Existing folders that the guest shares read-write; everything else it writes is gone with it. */
  rw?: readonly string[];
  /** Default 1. */
  cpus?: number;
  /** MiB; default 2048. */
  memory?: number;
  /** Seconds; default 300. */
  timeout?: number;
}

export interface VmResult {
  /** The command's exit status (128 + n if signal n ended it), or 124 if the time limit did. */
  status: number;
  stdout: string;
  stderr: string;
}

/** The machine is not available, or did not get as far as running the command. */
export class VmError extends Error {}

/**
 * Runs a program with its arguments as root, in the current directory, with the current environment, on the host's
 * files (read-only under a RAM overlay), with empty stdin. The guest ends with the command: anything left running is
 * killed.
 * @throws {VmError}
 */
export function runInVm(command: readonly string[], options?: VmOptions): Promise<VmResult>;

/** Why this kernel cannot be used here, as a sentence that names the fix; undefined if it can. */
export function vmUnavailable(kernel: KernelKind): string | undefined;

/** Whether the running kernel has user_events and this user may register events with it. */
export function isNative(): boolean;
