// What running a guest requires, and in one sentence what is missing and how to get it.
import { accessSync, closeSync, constants, existsSync, openSync, readSync } from 'node:fs';
import { missingPrograms } from '../lib/installed.mjs';
import { builtKernelsFolder, findKernel, imageNames } from './kernels.mjs';

/** What process 1 of the guest, and everything it calls, consists of. */
export const busybox = '/bin/busybox';

const install = 'run scripts/vm/install-tools.sh';

/** Whether the running kernel has user_events and this user may register events with it. */
export function isNative() {
  try {
    accessSync('/sys/kernel/tracing/user_events_data', constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** A program that names a loader near its start cannot run if there is no such file. */
function isDynamicallyLinked(program) {
  const start = Buffer.alloc(4096);
  const file = openSync(program, 'r');
  readSync(file, start);
  closeSync(file);
  return start.includes('/ld-');
}

/**
 * Why a command cannot be run on this kernel, as a sentence; undefined if it can.
 * @param {import('./kernels.mjs').KernelKind} kind
 * @returns {string | undefined}
 */
export function vmUnavailable(kind) {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `The guest kernels run on linux-x64 only, and this is ${process.platform}-${process.arch}.`;
  }
  if (!existsSync(busybox)) return `${busybox} is missing: ${install}, or install busybox-static.`;
  if (isDynamicallyLinked(busybox)) {
    return `${busybox} needs shared libraries, which the guest does not have: install busybox-static instead.`;
  }
  const [missing] = missingPrograms(['taskset', 'flock', 'setpriv']);
  if (missing) return `${missing} is missing: ${install}, or install util-linux.`;
  if (kind === 'qemu' && missingPrograms(['qemu-system-x86_64']).length > 0) {
    return `qemu-system-x86_64 is missing: ${install}, or install qemu-system-x86.`;
  }
  if (!findKernel(kind)) {
    return (
      `There is no kernel ${imageNames[kind]} in TRACEWRIGHT_VM_KERNELS or ${builtKernelsFolder()}: ` +
      `build it with "npm run vm:build -- ${kind}".`
    );
  }
  return undefined;
}
