/** Files for their owner only: events may contain what others must not see. */
import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync } from 'node:fs';

const OTHERS = 0o077;

/**
 * Opens the file for overwriting. An existing file, too, becomes its owner's alone before anything is written; devices
 * and pipes stay as they are.
 *
 * @returns its descriptor
 * @throws the system's error, also if the file belongs to another user, who could read it
 */
export function openPrivateFile(path: string): number {
  const descriptor = openSync(path, constants.O_WRONLY | constants.O_CREAT, 0o600);
  try {
    const stats = fstatSync(descriptor);
    if (stats.isFile()) {
      if ((stats.mode & OTHERS) !== 0) fchmodSync(descriptor, 0o600);
      ftruncateSync(descriptor);
    }
    return descriptor;
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}
