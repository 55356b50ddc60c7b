/** Files and folders that must not outlive this process: what is incomplete, and what it alone needs. */

import { rmSync } from 'node:fs';

type Removal = (path: string) => void;

const temporaries = new Map<string, Removal>();

export function removeAtExit(path: string, removal: Removal): void {
  if (temporaries.size === 0) process.on('exit', removeTemporaries);
  temporaries.set(path, removal);
}

/** It stays, because it is complete now. */
export function keep(path: string): void {
  temporaries.delete(path);
  if (temporaries.size === 0) process.off('exit', removeTemporaries);
}

export function removeNow(path: string, removal: Removal): void {
  try {
    removal(path);
  } catch {
    // What cannot be removed, such as an open file on Windows, is left to the system.
  }
  keep(path);
}

/** A removal, for folders that only this user can change. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 2 });
}

/** Call this before a signal ends the process, which then runs no handlers of `exit`. */
export function removeTemporaries(): void {
  for (const [path, removal] of [...temporaries]) removeNow(path, removal);
}
