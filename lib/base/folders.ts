/** Folders with those above them. Node's own `recursive` never returns in /proc, and hides EROFS behind ENOENT. */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { systemCodeOf, systemCodeText } from './system-code.ts';

/**
 * Creates what is missing of a path.
 *
 * @throws Error with a sentence and the system's code
 */
export function makeFolders(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (isFolder(path)) return;
    const above = dirname(path);
    if (systemCodeOf(error) !== 'ENOENT' || existsSync(above)) throw failed(path, error);
    makeFolders(above, mode);
    makeFolders(path, mode);
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function failed(path: string, cause: unknown): Error {
  const message = `The folder ${path} cannot be created (${systemCodeText(cause)}).`;
  return Object.assign(new Error(message, { cause }), { code: systemCodeOf(cause) });
}
