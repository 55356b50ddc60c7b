/** Finding the package's files, in the package and in an application's bundle. */
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { binaryFolders, packageFolder, packageVersion } from '../../lib/base/package-files.ts';
import { named } from '../platforms.ts';

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '');

describe('the package', () => {
  it('is two folders above its code', () => {
    expect(packageFolder()).toBe(root);
    expect(packageVersion()).toMatch(/^\d+\.\d+\.\d+/);
    expect(binaryFolders()[0]).toBe(root);
  });
});

describe('a bundle', () => {
  let folder: string;
  let bundleFolder: string;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    bundleFolder = join(folder, 'a/b');
    mkdirSync(bundleFolder, { recursive: true });
    const build = await rolldown({ input: join(root, 'lib/base/package-files.ts'), platform: 'node' });
    await build.write({ file: join(bundleFolder, 'bundle.mjs'), format: 'es' });
    await build.close();
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const foldersOfBundle = async (): Promise<string[]> =>
    (await import(join(bundleFolder, 'bundle.mjs'))).binaryFolders();

  it('has its package next to itself', async () => {
    expect((await foldersOfBundle())[0]).toBe(bundleFolder);
  });

  it('takes the folder two levels up for the package only if it has its name', async () => {
    writeFileSync(join(folder, 'package.json'), '{ "name": "another" }');
    expect(await foldersOfBundle()).not.toContain(folder);
  });

  const noRoot = process.getuid?.() === 0 ? undefined : 'only root has files of other users';
  it.skipIf(noRoot !== undefined)(named('does not take a package of another user', noRoot), async () => {
    const manifest = join(folder, 'package.json');
    writeFileSync(manifest, '{ "name": "tracewright" }');
    expect(await foldersOfBundle()).toContain(folder);
    chownSync(manifest, 65534, 65534);
    expect(await foldersOfBundle()).not.toContain(folder);
  });
});
