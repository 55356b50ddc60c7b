/** A temporary folder that only this user can read, removed when it is not needed any more, at the latest at exit. */
import { lstatSync, mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../base/is-alive.ts';
import { removeAtExit, removeFolder, removeNow } from '../base/temporaries.ts';

const PREFIX = 'tracewright-query-';
/** Another container that shares the folder has its own processes: only what is older than this is given up. */
const MAX_AGE_MS = 86_400_000;

export class PrivateFolder {
  readonly path: string;

  constructor() {
    const parent = tmpdir();
    removeForsaken(parent);
    this.path = mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
    removeAtExit(this.path, removeFolder);
  }

  remove(): void {
    removeNow(this.path, removeFolder);
  }
}

/** The leftovers of killed processes of this user. */
function removeForsaken(parent: string): void {
  for (const name of readdirSync(parent)) {
    const processId = new RegExp(`^${PREFIX}(\\d+)-\\w{6}$`).exec(name)?.[1];
    if (processId === undefined || isAlive(Number(processId))) continue;
    const folder = join(parent, name);
    const status = lstatSync(folder, { throwIfNoEntry: false });
    const isOurs = status?.isDirectory() === true && status.uid === (process.geteuid?.() ?? status.uid);
    if (!isOurs || Date.now() - status.mtimeMs <= MAX_AGE_MS) continue;
    removeNow(folder, removeFolder);
  }
}
