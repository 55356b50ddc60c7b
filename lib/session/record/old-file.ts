/** Keeps a file that is about to be written anew. */
import { renameSync, statSync } from 'node:fs';

/** Renames it to FILE.old, as perf does it. @throws the system's error */
export function keepOldFile(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isFile()) renameSync(path, `${path}.old`);
}
