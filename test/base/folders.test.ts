/** Folders that are created, and places where none can be. */
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeFolders } from '../../lib/base/folders.ts';
import { linuxOnly, named } from '../platforms.ts';

const noProc = linuxOnly('/proc');
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-folders-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('folders', () => {
  it('are created with those above them, and may be there already', () => {
    const path = join(folder, 'a', 'b', 'c');
    makeFolders(path, 0o700);
    makeFolders(path);
    expect(statSync(path).isDirectory()).toBe(true);
    if (process.platform !== 'win32') expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  });

  it('are refused below a file, in a sentence with the code', () => {
    writeFileSync(join(folder, 'file'), '');
    const path = join(folder, 'file', 'a');
    expect(() => makeFolders(path)).toThrow(
      expect.objectContaining({
        message: expect.stringMatching(/^The folder .+ cannot be created \(E\w+\)\.$/),
        code: expect.stringMatching(/^(ENOTDIR|ENOENT)$/),
      }),
    );
  });

  it.skipIf(noProc !== undefined).each(['/proc/x', '/proc/x/y', '/proc/self/fd/x/y'])(
    named('are refused where the system has no place for them: %s', noProc),
    (path) => {
      expect(() => makeFolders(path)).toThrow(/^The folder \/proc\/.+ cannot be created \(ENOENT\)\.$/);
    },
  );
});
