// Prepares a checkout: dependencies, native addon, compiled TypeScript, each only if it is missing or out of date.
// Prints one line for each thing it does, and nothing if there is nothing to do.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildNative, isNativeBuilt, NoCompilerError } from './build-native.mjs';
import { newest } from './lib/newest.mjs';
import { isRequired } from './lib/require.mjs';
import { report, run, ToolError } from './lib/run.mjs';

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

/** In a process of its own: the addon's build, which blocks this one, leaves a processor free for much of its time. */
function startTypeScript() {
  const stamp = at('dist/.compiled');
  const inputs = ['lib', 'tsconfig.json', 'tsconfig.build.json', 'scripts/compile.mjs', 'scripts/lib'];
  if (newest([stamp]) >= newest(inputs.map(at))) return undefined;
  console.log('Compiling TypeScript');
  const ended = once(spawn(process.execPath, [at('scripts/compile.mjs')], { stdio: 'inherit' }), 'exit');
  return { ended, stamp, started: new Date() };
}

async function endTypeScript({ ended, stamp, started }) {
  const [status] = await ended;
  if (status !== 0) throw new ToolError('TypeScript could not be compiled.', '');
  writeFileSync(stamp, '');
  utimesSync(stamp, started, started); // changes made while the compiler runs are compiled next time
}

try {
  installDependencies();
  const compiling = startTypeScript();
  buildAddon();
  if (compiling !== undefined) await endTypeScript(compiling);
} catch (error) {
  report(error);
}
