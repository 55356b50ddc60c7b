/** Files that are for their owner alone: events may tell what others are not to know. */
import { closeSync, constants, fchmodSync, fstatSync, ftruncateSync, openSync } from 'node:fs';

const OTHERS = 0o077;

/**
 * Opens the file to write it anew. One that is there becomes its owner's alone, too, before anything is in it;
 * devices and pipes stay what they are.
 *
 * @returns its descriptor
 * @throws the system's error, also for a file of somebody else, who could read along
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
