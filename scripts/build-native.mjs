// Builds the native addon for this machine into build/Release: `npm run build:native`. Silent unless it fails.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { missingPrograms } from './lib/installed.mjs';
import { newest } from './lib/newest.mjs';
import { report, run, ToolError } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const addon = join(root, 'build/Release/tracewright.node');
/** The compiler's output, which CI keeps, including warnings. */
const log = join(root, 'build/native.log');
/** Which platform and processor the addon was built for. */
const stamp = join(root, 'build/Release/tracewright.target');
const target = `${process.platform}-${process.arch}`;
/** What a build consists of. */
export const builtFiles = [addon, stamp];
const posixCompilers = ['c++', 'g++', 'clang++'];

/** Nothing here can compile C++; the message says what to install. */
export class NoCompilerError extends ToolError {}

/** Whether the addon exists, is newer than its sources and matches this platform and processor. */
export function isNativeBuilt() {
  const sources = [join(root, 'binding.gyp'), join(root, 'native')];
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === target && newest([addon]) >= newest(sources);
}

/** node-gyp finds Visual Studio by itself; elsewhere it uses what is in the PATH. */
function missingTools() {
  if (process.platform === 'win32') return [];
  const compiler = process.env.CXX || missingPrograms(posixCompilers).length < posixCompilers.length;
  return [...(compiler ? [] : ['a C++ compiler']), ...missingPrograms(['make', 'python3'])];
}

/** The folder with the headers that came with this node, which saves node-gyp a download. */
export function localHeaders() {
  const prefix = dirname(dirname(process.execPath));
  return existsSync(join(prefix, 'include/node/node_api.h')) ? prefix : undefined;
}

/**
 * Builds the addon.
 * @throws {NoCompilerError} if there is nothing to build it with
 * @throws {ToolError} if the build fails, with node-gyp's complete output
 */
export function buildNative() {
  const missing = missingTools();
  if (missing.length) {
    throw new NoCompilerError(
      `The native addon is not built, because this is missing: ${missing.join(', ')}.`,
      '',
    );
  }
  const nodeGyp = createRequire(import.meta.url).resolve('node-gyp/bin/node-gyp.js');
  const headers = localHeaders();
  const nodedir = headers === undefined ? [] : [`--nodedir=${headers}`];
  try {
    const output = run(process.execPath, [nodeGyp, 'rebuild', '--jobs=max', ...nodedir], { cwd: root });
    writeFileSync(log, output);
  } catch (error) {
    if (existsSync(dirname(log))) writeFileSync(log, error.output);
    if (!/could not find any visual studio/i.test(error.output)) throw error;
    throw new NoCompilerError(
      'The native addon is not built, because this is missing: Visual Studio with C++.',
      '',
    );
  }
  writeFileSync(stamp, target);
}

if (import.meta.filename === process.argv[1]) {
  try {
    buildNative();
  } catch (error) {
    report(error);
  }
}
