/** Builds the addon again, with different flags, in a copy of the package. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localHeaders } from '../../scripts/build-native.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PARTS = ['binding.gyp', 'native', 'dist', 'package.json', 'test/kernel/programs'];

/**
 * @param folder an empty one; the programs of the kernel's tests in it import the package that is built there
 * @param environment what node-gyp's make is to find: CXXFLAGS, LDFLAGS
 */
export function buildAddon(folder: string, environment: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, 'test/kernel'), { recursive: true });
  for (const part of PARTS) cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const headers = localHeaders();
  const nodedir = headers === undefined ? [] : [`--nodedir=${headers}`];
  execFileSync(join(root, 'node_modules/.bin/node-gyp'), ['rebuild', '-C', folder, ...nodedir], {
    env: { ...process.env, ...environment },
    stdio: 'pipe',
  });
}
