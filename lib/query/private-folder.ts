/** A temporary folder that only this user can read, removed when it is not needed any more, at the latest at exit. */
import { lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../base/is-alive.ts';

const PREFIX = 'tracewright-query-';
/** Another container that shares the folder has its own processes: only what is older than this is given up. */
const MAX_AGE_MS = 86_400_000;

const folders = new Set<string>();

export class PrivateFolder {
  readonly path: string;

  constructor() {
    const parent = tmpdir();
    removeForsaken(parent);
    this.path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
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

/** The leftovers of killed processes of this user. */
function removeForsaken(parent: string): void {
  for (const name of readdirSync(parent)) {
    const processId = new RegExp(`^${PREFIX}(\\d+)-\\w{6}$`).exec(name)?.[1];
    if (processId === undefined || isAlive(Number(processId))) continue;
    const folder = join(parent, name);
    const status = lstatSync(folder, { throwIfNoEntry: false });
    const isOurs = status?.isDirectory() === true && status.uid === (process.geteuid?.() ?? status.uid);
    if (isOurs && Date.now() - status.mtimeMs > MAX_AGE_MS) removed(folder);
  }
}
