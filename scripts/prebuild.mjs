// Builds the addon as the package ships it: one file for this platform under prebuilds/, found at run time by
// node-gyp-build. Node-API, so one build serves every version of Node.js.
import { delimiter, join } from 'node:path';
import { localHeaders } from './build-native.mjs';
import { report, run } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');

try {
  const headers = localHeaders();
  // node-gyp takes its options from npm's environment, too; prebuildify passes none on.
  const nodedir = headers === undefined ? {} : { npm_config_nodedir: headers };
  const bin = join(root, 'node_modules/.bin');
  const env = { ...process.env, ...nodedir, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const args = ['--napi', '--strip', '--tag-libc'];
  run(process.execPath, [join(root, 'node_modules/prebuildify/bin.js'), ...args], { cwd: root, env });
} catch (error) {
  report(error);
}
