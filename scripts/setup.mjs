// Prepares a checkout: dependencies, native addon, compiled TypeScript, each only if it is missing or out of date.
// Prints one line for each thing it does, and nothing if there is nothing to do.
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildNative, isNativeBuilt, NoCompilerError } from './build-native.mjs';
import { newest } from './lib/newest.mjs';
import { isRequired } from './lib/require.mjs';
import { report, run } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const at = (path) => join(root, path);

/** npm writes the two lock files together, sometimes the package's own last. */
const npmWriteMilliseconds = 1000;

function installDependencies() {
  const installed = newest([at('node_modules/.package-lock.json')]);
  if (installed + npmWriteMilliseconds >= newest([at('package-lock.json')])) return;
  console.log('Installing dependencies');
  // Not "npm ci", which would also remove what scripts/extra-packages.mjs has installed. This installs the locked versions,
  // too, and writes neither file. On Windows, npm is a batch file, which needs a shell.
  const args = ['install', '--no-save', '--no-audit', '--no-fund'];
  run('npm', args, { cwd: root, shell: process.platform === 'win32' });
}

function buildAddon() {
  if (isNativeBuilt()) return;
  try {
    console.log('Building the native addon');
    buildNative();
  } catch (error) {
    if (!(error instanceof NoCompilerError) || isRequired('native')) throw error;
    console.log(`${error.message} Events will reach listeners in the process, but not the system's tracer.`);
  }
}

async function compileTypeScript() {
  const stamp = at('dist/.compiled');
  if (newest([stamp]) >= newest([at('lib'), at('tsconfig.json'), at('tsconfig.build.json')])) return;
  const started = new Date();
  console.log('Compiling TypeScript');
  // What it imports may have just been installed.
  const { compile } = await import('./compile.mjs');
  await compile();
  writeFileSync(stamp, '');
  utimesSync(stamp, started, started); // changes made while the compiler runs are compiled next time
}

try {
  installDependencies();
  buildAddon();
  await compileTypeScript();
} catch (error) {
  report(error);
}
