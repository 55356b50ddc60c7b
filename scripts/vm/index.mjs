// Runs commands on a kernel with user_events, for tests: the functions behind `npm run vm`. `uml` is user-mode Linux, an
// ordinary process: it starts in half a second and runs JavaScript at nearly the host's speed, one thread at a time.
// `qemu` is a different, unpatched kernel in an emulated x86-64 machine, about ten times slower.
import { collector } from './collector.mjs';
import { runInGuest, runNatively } from './guest.mjs';
import { isNative, vmUnavailable } from './prerequisites.mjs';

/**
 * Runs a program with its arguments as root, in the current directory, with the current environment, on the host's
 * files (read-only under a RAM overlay), with empty stdin. The guest ends with the command: anything left running is
 * killed.
 * @param {readonly string[]} command
 * @param {object} options
 * @param {'uml' | 'qemu'} [options.kernel] the default is the running kernel if it has user_events, otherwise `uml`
 * @param {readonly string[]} [options.rw] existing folders that the guest shares read-write
 * @param {number} [options.timeout] in seconds, 300 by default
 * @returns the command's exit status (128 + n if signal n ended it), or 124 if the time limit did; and its output
 * @throws {VmError} if the machine is not available, or did not get as far as running the command
 */
export async function runInVm(command, { kernel, rw, timeout } = {}) {
  const stdout = collector();
  const stderr = collector();
  const run = { command, rw, timeout, stdout: stdout.stream, stderr: stderr.stream };
  const status =
    kernel === undefined && isNative() ? await runNatively(run) : await runInGuest(kernel ?? 'uml', run);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

export { VmError } from './guest.mjs';
export { isNative, vmUnavailable };
