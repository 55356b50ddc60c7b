/** A temporary folder that only this user can read, removed when it is not needed any more, at the latest at exit. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folders = new Set<string>();

export class PrivateFolder {
  readonly path: string = mkdtempSync(join(tmpdir(), 'tracewright-query-'));

  constructor() {
    if (folders.size === 0) process.on('exit', removePrivateFolders);
    folders.add(this.path);
  }

  remove(): void {
    if (folders.delete(this.path)) removed(this.path);
    if (folders.size === 0) process.off('exit', removePrivateFolders);
  }
}

/** For a process that a signal ends, which runs no handlers of `exit`. */
export function removePrivateFolders(): void {
  for (const path of folders) removed(path);
}

/** What cannot be removed, such as an open file on Windows, is left to the system. */
function removed(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 2 });
  } catch {}
}
