// `npm test [-- --all] [-- VITEST OPTIONS]`: sets up the checkout, checks it, and runs what needs nothing but this
// machine; --all also runs what needs the registry, servers, a browser, kernels, Wine, other versions of Node.js, time.
import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const options = process.argv.slice(2);
const all = options.includes('--all');
const others = options.filter((option) => option !== '--all');

// Tests of processes wait for them half of the time. Kernels and browsers, with --all, want a processor each.
const workers = String(2 * availableParallelism());
const projects = ['quick', 'state', 'process'].flatMap((name) => ['--project', name]);
const chosen = all ? [] : [...projects, '--maxWorkers', workers];
const vitest = join(root, 'node_modules/vitest/vitest.mjs');
const reporters = ['--reporter', 'default', '--reporter', './test/left-out.ts'];

function runOrExit(program, args) {
  const shell = program === 'npm' && process.platform === 'win32';
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit', shell });
  if (status !== 0) process.exit(status ?? 1);
}

runOrExit(process.execPath, [join(root, 'scripts/setup.mjs')]);
runOrExit('npm', ['run', '--silent', 'check']);
runOrExit(process.execPath, [vitest, 'run', ...chosen, ...reporters, ...others]);
