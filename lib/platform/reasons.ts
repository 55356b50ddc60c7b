/**
 * Turns the kernel's error numbers into sentences that say what is missing and how to get it.
 */
import { getSystemErrorName } from 'node:util';
import type { Addon } from './addon.ts';

export function openReason(addon: Addon, error: number, path: string): string {
  if (error === addon.codes.unsupported) {
    return `tracewright writes to no kernel tracer on ${process.platform} yet; listeners in the process work.`;
  }
  const name = errorName(error);
  switch (name) {
    case 'ENOENT':
      return `There is no ${path}: user_events needs Linux 6.4 or later with CONFIG_USER_EVENTS, and tracefs mounted.`;
    case 'EACCES':
    case 'EPERM':
      return (
        `This user may not write ${path} (${name}). ` +
        `As root: chmod a+x ${folderOf(path)} && chmod a+w ${path}`
      );
    default:
      return `${path} could not be opened (${name}).`;
  }
}

export function registerReason(addon: Addon, error: number, tracepoint: string): string {
  const name = errorName(error);
  switch (name) {
    case 'EADDRINUSE':
      return `Another program has registered the tracepoint ${tracepoint} with other fields (EADDRINUSE).`;
    case 'EMFILE':
      return `The system's limit of user events is reached (EMFILE); raise it with: sysctl kernel.user_events_max`;
    case 'ENOTTY':
    case 'ENOSYS':
      return `The file given for user_events_data is another kind of file (${name}).`;
    default:
      return error === addon.codes.notRegistered
        ? `The tracepoint ${tracepoint} was not registered: the kernel's tracer is not open.`
        : `The kernel refused the tracepoint ${tracepoint} (${name}).`;
  }
}

/** Why one event was not written: the key under which `stats().dropped` counts it. */
export function writeReason(addon: Addon, error: number): string {
  switch (error) {
    case addon.codes.nobodyListens:
      return 'nobodyListens';
    case addon.codes.fileClosed:
      return 'fileClosed';
    case addon.codes.notRegistered:
      return 'notRegistered';
    default:
      return errorName(error);
  }
}

function errorName(error: number): string {
  try {
    return getSystemErrorName(-error);
  } catch {
    return `error ${error}`;
  }
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
