/** The operating system's id of this JavaScript thread. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';

let known: { readonly id: number | undefined } | undefined;

/**
 * Returns the id as recorders show it; undefined where the system does not provide it. It never changes for a
 * JavaScript thread.
 */
export function osThreadId(): number | undefined {
  known ??= { id: threadIdOfLinux() };
  return known.id;
}

/** Source: proc(5), `/proc/thread-self`, a link to `<process>/task/<thread>`. */
function threadIdOfLinux(): number | undefined {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined;
  }
}
