// Builds the addon as the package ships it, into prebuilds/, where lib/platform/addon.ts finds it at run time: for this
// platform, and for each other one that can be built for here; then says which are missing. Node-API, so one
// build serves every version of Node.js.
// Usage: npm run prebuild [-- --host]
//   --host  for this platform alone
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseArgs } from 'node:util';
import { builtFiles, localHeaders } from './build-native.mjs';
import { prebuildTargets } from './lib/prebuild-targets.mjs';
import { report, run } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const prebuilds = join(root, 'prebuilds');

function buildForHost() {
  const headers = localHeaders();
  // node-gyp takes its options from npm's environment, too; prebuildify passes none on.
  const nodedir = headers === undefined ? {} : { npm_config_nodedir: headers };
  const bin = join(root, 'node_modules/.bin');
  const env = { ...process.env, ...nodedir, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const libc = process.platform === 'linux' ? ['--tag-libc'] : [];
  const args = [join(root, 'node_modules/prebuildify/bin.js'), '--napi', '--strip', ...libc];
  // prebuildify empties build/, and moves what it has built from there: the checkout keeps its own addon.
  const kept = builtFiles.filter(existsSync).map((path) => [path, readFileSync(path)]);
  run(process.execPath, args, { cwd: root, env });
  for (const [path, content] of kept) writeFileSync(path, content);
}

/** With mingw-w64; what is released for Windows is built there. */
async function buildForWindows() {
  const windows = await import('./windows/build.mjs');
  const reason = windows.windowsBuildUnavailable();
  if (reason !== undefined) {
    console.log(`Not built for win32-x64: ${reason}`);
    return;
  }
  const folder = join(prebuilds, 'win32-x64');
  mkdirSync(folder, { recursive: true });
  const { addon } = windows.buildForWindows();
  const target = join(folder, 'tracewright.node');
  if (addon !== target) cpSync(addon, target);
}

function built() {
  return readdirSync(prebuilds, { recursive: true })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.node'));
}

try {
  const { values } = parseArgs({ options: { host: { type: 'boolean', default: false } } });
  buildForHost();
  if (!values.host && process.platform === 'linux') await buildForWindows();
  const there = built();
  for (const file of there.sort()) console.log(`Built: ${file}`);
  const missing = prebuildTargets.filter((target) => !there.includes(target));
  if (!values.host && missing.length > 0)
    console.log(`Missing, built by CI on their own systems: ${missing.join(', ')}`);
} catch (error) {
  report(error);
}
