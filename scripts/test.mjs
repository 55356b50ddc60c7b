// `npm test [-- --all] [-- VITEST OPTIONS]`: sets up the checkout, checks it, and runs what needs nothing but this
// machine; --all also runs what needs the registry, servers, a browser, kernels, Wine, other versions of Node.js, time.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const all = options.includes('--all');
const others = options.filter((option) => option !== '--all');

const projects = ['child', 'process', 'quick', 'state'].flatMap((name) => ['--project', name]);
const chosen = all ? [] : projects;
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const reporters = ['--reporter', 'default', '--reporter', './test/left-out.ts'];

/** Starts `npm run check` beside the tests, for the time that they wait: those that measure go first. */
function startCheck() {
  const shell = process.platform === 'win32';
  const check = spawn('npm', ['run', '--silent', 'check'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
    shell,
  });
  if (check.pid !== undefined) setPriority(check.pid, constants.priority.PRIORITY_LOW);
  return Promise.all([once(check, 'close'), text(check.stdout), text(check.stderr)]);
}

const { status } = spawnSync(process.execPath, [join(root, 'scripts/setup.mjs')], {
  cwd: root,
  stdio: 'inherit',
});
if (status !== 0) process.exit(status ?? 1);
const checking = startCheck();
const tests = spawn(process.execPath, [vitest, 'run', ...chosen, ...reporters, ...others], {
  cwd: root,
  stdio: 'inherit',
  env: all ? { ...process.env, TRACEWRIGHT_TEST_ALL: '1' } : process.env,
});
const [tested] = await once(tests, 'close');
const [[checked], ...said] = await checking;
if (checked !== 0) console.log(`\n"npm run check" has failed:\n${said.join('')}`);
process.exitCode = tested === 0 && checked === 0 ? 0 : 1;
