/** How the native addon is loaded: see native/addon.cc, and its functions in addon-functions.ts. */
import { readdirSync } from 'node:fs';
import { basename, dirname, join, toNamespacedPath } from 'node:path';
import { binaryFolders } from '../base/package-files.ts';
import { thrownMessage } from '../base/value-text.ts';
import type { Addon, LinuxAddon, WindowsAddon } from './addon-functions.ts';

export const NO_WORD = 0xffffffff;

/** Why there is no addon, as a sentence. */
interface Missing {
  readonly reason: string;
}

/**
 * The addon as built here or shipped for this platform, or the reason why it cannot be loaded. Uses `process.dlopen`
 * rather than `require`, which bundlers would resolve at build time.
 */
export function loadAddon(): Addon | Missing {
  const folders = binaryFolders();
  let problem = `there is no ${BUILT} and no ${join(SHIPPED, '*.node')} in ${folders.join(' or ')}`;
  for (const file of folders.flatMap(addonFiles)) {
    const module = { exports: {} };
    try {
      // As `require` does for an addon: Windows loads no library whose path is longer than 260 characters otherwise.
      process.dlopen(module, toNamespacedPath(file));
      return module.exports as Addon;
    } catch (error) {
      problem = `${file}: ${thrownMessage(error).split('\n', 1)[0]}`;
    }
  }
  return {
    reason: `The native addon could not be loaded (${problem}), so no event reaches the kernel: ${REMEDY}.`,
  };
}

/** The addon with the functions that only Linux has. */
export function linuxAddon(): LinuxAddon | Missing {
  const addon = process.platform === 'linux' ? loadAddon() : undefined;
  if (addon !== undefined && ('reason' in addon || isOfLinux(addon))) return addon;
  return { reason: `Tracepoints of user_events exist only on Linux, and this is ${process.platform}.` };
}

/** The addon with the functions that only Windows has. */
export function windowsAddon(): WindowsAddon | Missing {
  const addon = process.platform === 'win32' ? loadAddon() : undefined;
  if (addon !== undefined && ('reason' in addon || isOfWindows(addon))) return addon;
  return { reason: 'ETW sessions exist only on Windows.' };
}

function isOfLinux(addon: Addon): addon is LinuxAddon {
  return addon.platform === 'user_events';
}

function isOfWindows(addon: Addon): addon is WindowsAddon {
  return addon.platform === 'etw';
}

/**
 * Those that run Node.js's programs without its event loop: Bun ends a process that watches a descriptor with libuv
 * (oven-sh/bun#18546), and Deno one that then exits (it frees an asynchronous cleanup hook twice).
 */
export const isOtherRuntime = process.versions.bun !== undefined || process.versions.deno !== undefined;

const BUILT = 'build/Release/tracewright.node';
const SHIPPED = join('prebuilds', `${process.platform}-${process.arch}`);
/** Installing the package runs none of its code, so rebuilding it by npm does nothing. */
const REMEDY =
  'install the package again on this machine, copy its prebuilds folder beside a bundle, give --allow-addons with ' +
  '--permission, or build it from the package (docs/platforms.md)';

/**
 * The addon's files in a folder: the one built there, then those shipped for the platform, named as by prebuildify.
 * There is one per C library; the dynamic linker refuses the wrong one.
 */
function addonFiles(folder: string): string[] {
  return [
    ...filesIn(join(folder, dirname(BUILT))).filter((file) => file.endsWith(basename(BUILT))),
    ...filesIn(join(folder, SHIPPED)).filter((file) => file.endsWith('.node')),
  ];
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch {
    return [];
  }
}
