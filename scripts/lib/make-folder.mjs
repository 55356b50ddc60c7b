import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates the folder at `path` through `make(scratch)`, so that it exists completely or not at all. */
export function makeFolder(path, make) {
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true });
  const scratch = mkdtempSync(`${path}.`);
  try {
    make(scratch);
    renameSync(scratch, path);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}
