// Runs commands on a kernel with user_events, for tests: the functions behind `npm run vm`.
import { collector } from './collector.mjs';
import { runInGuest, runNatively } from './guest.mjs';
import { isNative, vmUnavailable } from './prerequisites.mjs';

/** Documented in index.d.mts. */
export async function runInVm(command, { kernel, rw, cpus, memory, timeout } = {}) {
  const stdout = collector();
  const stderr = collector();
  const run = { command, rw, cpus, memory, timeout, stdout: stdout.stream, stderr: stderr.stream };
  const status =
    kernel === undefined && isNative() ? await runNatively(run) : await runInGuest(kernel ?? 'uml', run);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

export { VmError } from './guest.mjs';
export { isNative, vmUnavailable };
