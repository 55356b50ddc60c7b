/** Errors of user_events as text: what is missing, and how to get it. */
import { systemErrorName } from '../base/system-code.ts';

export function openReason(error: number, path: string): string {
  const name = systemErrorName(error);
  switch (name) {
    case 'ENOENT':
      return `There is no ${path}: user_events needs Linux 6.4 or later with CONFIG_USER_EVENTS, and tracefs mounted.`;
    case 'EACCES':
    case 'EPERM':
      return (
        `This user may not write ${path} (${name}). ` +
        `As root, for a group of this user: chgrp GROUP ${folderOf(path)} ${path} && chmod g+x ${folderOf(path)} && chmod g+w ${path}`
      );
    default:
      return `${path} could not be opened (${name}).`;
  }
}

export function registerReason(error: number, tracepoint: string): string {
  const name = systemErrorName(error);
  switch (name) {
    case 'EADDRINUSE':
      return `Another program has registered the tracepoint ${tracepoint} with other fields (EADDRINUSE).`;
    case 'EMFILE':
      return `The system's limit of user_events is reached (EMFILE); raise it with: sysctl kernel.user_events_max`;
    case 'ENOTTY':
    case 'ENOSYS':
      return `The file given as user_events_data is a different kind of file (${name}).`;
    default:
      return `The kernel refused the tracepoint ${tracepoint} (${name}).`;
  }
}

/** The kernel's name for the error. */
export function writeReason(error: number): string {
  return systemErrorName(error);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
