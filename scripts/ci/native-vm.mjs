// Replaces scripts/vm/index.mjs if this machine's kernel is the one to test: the same functions, with the tracer in its
// initial state for each command. As root, on throwaway machines.
import { collector } from '../vm/collector.mjs';
import { runNatively, VmError } from '../vm/guest.mjs';
import { isNative } from '../vm/prerequisites.mjs';

/**
 * The state of a machine after startup: tracefs mounted in its usual place, nothing recorded, nothing being recorded,
 * user_events accessible only to root. Not a mount namespace for each command: perf 6.1 writes files there that it
 * cannot read ("failed to write feature BUILD_ID").
 */
const prepare = `
  set -e
  [ -e /sys/kernel/debug/tracing ] || mount -t debugfs debugfs /sys/kernel/debug
  [ -e /sys/kernel/tracing/events ] || mount -t tracefs tracefs /sys/kernel/tracing
  umount /sys/kernel/debug/tracing 2>/dev/null || true
  rm -rf /run/elsewhere
  (
    cd /sys/kernel/tracing
    chmod 700 .
    chmod 640 user_events_data
    echo 0 >events/enable
    echo 1408 >buffer_size_kb
    echo >trace
  )
  exec "$@"`;

/** There is one kernel here; it replaces the one in which most tests run. */
export function vmUnavailable(kind) {
  if (kind !== 'uml') return 'The tests run on the kernel of this machine, once.';
  return isNative() ? undefined : 'This kernel has no user_events that this user may write.';
}

/** @type {typeof import('../vm/index.mjs').runInVm} */
export async function runInVm(command, { timeout } = {}) {
  const stdout = collector();
  const stderr = collector();
  const run = {
    command: ['sh', '-c', prepare, 'sh', ...command],
    timeout,
    stdout: stdout.stream,
    stderr: stderr.stream,
  };
  const status = await runNatively(run);
  return { status, stdout: stdout.text(), stderr: stderr.text() };
}

export { isNative, VmError };
