// The two kernels with CONFIG_USER_EVENTS, and where their images are kept.
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * - `uml`: user-mode Linux, an ordinary process on the host. Starts in half a second and runs JavaScript at nearly the
 *   host's speed; system calls are expensive.
 * - `qemu`: an unpatched x86-64 kernel in an emulated machine. Slow, and a different kernel version.
 * @typedef {'uml' | 'qemu'} KernelKind
 */

/** The file name of each kernel's image. */
export const imageNames = { uml: 'linux-um', qemu: 'bzImage' };

/** What tracewright keeps for the user between runs. */
export function cacheFolder() {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tracewright');
}

/** Where built images go, and where they are looked for if TRACEWRIGHT_VM_KERNELS has none. */
export function builtKernelsFolder() {
  return join(cacheFolder(), 'kernels');
}

/**
 * The image of a kernel: in the folder TRACEWRIGHT_VM_KERNELS, otherwise among those built here.
 * @param {KernelKind} kind
 * @returns {string | undefined}
 */
export function findKernel(kind) {
  return [process.env.TRACEWRIGHT_VM_KERNELS, builtKernelsFolder()]
    .map((folder) => folder && join(folder, imageNames[kind]))
    .find((image) => image && existsSync(image));
}
