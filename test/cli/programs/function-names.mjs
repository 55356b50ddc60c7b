// What `record --cpu` has Node.js write into a working folder, and what of it stays: on this version of Node.js.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FunctionNames } from '../../../dist/cli/record/function-names.js';

const SCRIPT = `new (require('node:worker_threads').Worker)('1', { eval: true }); console.log('out');`;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-names-'));
const work = join(folder, 'work');
mkdirSync(work);
process.chdir(work);
const children = [];

/** @returns what it printed, and how many logs it has in the working folder */
function run(args, env) {
  const child = spawnSync(process.execPath, args, { env: { ...process.env, ...env }, encoding: 'utf8' });
  children.push(child.pid);
  return { stdout: child.stdout, logs: logsOf(child.pid) };
}

const logsOf = (pid) => readdirSync('.').filter((name) => name.endsWith(`-${pid}-v8.log`)).length;

const ended = spawnSync(process.execPath, ['-e', '']).pid;
const before = `isolate-0x1-${ended}-v8.log`;
writeFileSync(before, 'v8-version,1\n');
const names = new FunctionNames(undefined, '--no-warnings');
const { variables } = names;
const plain = run(['-e', SCRIPT], variables);
const profiled = run(['--prof', '-e', SCRIPT], variables);
const running = spawn(process.execPath, ['-e', `console.log(''); setTimeout(() => {}, 1e9)`], {
  env: { ...process.env, ...variables },
  stdio: ['ignore', 'pipe', 'inherit'],
});
children.push(running.pid);
await once(running.stdout, 'data');
mkdirSync(`isolate-0x2-${ended}-v8.log`);
writeFileSync(join(folder, 'precious'), 'v8-version,1\n');
symlinkSync(join(folder, 'precious'), `isolate-0x3-${ended}-v8.log`);
writeFileSync('app.log', '');
names.removeLogs();
const left = readdirSync('.').map((name) => name.replace(/^(isolate-0x)[\da-f]{4,}/, '$1N'));
const known = [
  [ended, 'ENDED'],
  [running.pid, 'RUNNING'],
  [children[1], 'PROFILED'],
];
const hasPrecious = existsSync(join(folder, 'precious'));
running.kill('SIGKILL');
await once(running, 'exit');

for (const pid of children) rmSync(`/tmp/perf-${pid}.map`, { force: true });
process.chdir('/');
rmSync(folder, { recursive: true });
const named = left.map((name) =>
  known.reduce((text, [pid, word]) => text.replace(`-${pid}-`, `-${word}-`), name),
);
console.log(JSON.stringify({ variables, plain, profiled, left: [...new Set(named)].sort(), hasPrecious }));
