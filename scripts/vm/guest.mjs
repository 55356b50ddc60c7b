// Runs one command on a kernel with user_events, from the machine's start to its end.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { initramfs } from './initramfs.mjs';
import { findKernel } from './kernels.mjs';
import { qemu, userModeLinux } from './machines.mjs';
import { busybox, vmUnavailable } from './prerequisites.mjs';
import { UntilMark } from './until-mark.mjs';

/** The status of a command that the time limit ended, as with timeout(1). */
export const timeLimitStatus = 124;

const init = join(import.meta.dirname, 'init');

/** The machine did not get as far as running the command, or is not available here: the message says why. */
export class VmError extends Error {
  constructor(message) {
    super(message);
    this.name = 'VmError';
  }
}

/**
 * @typedef {object} Run
 * @property {readonly string[]} command the program and its arguments
 * @property {readonly string[]} [rw] folders that the guest shares read-write
 * @property {number} [timeout] seconds
 * @property {boolean} [verbose] the kernel's console goes to this process's stderr
 * @property {import('node:stream').Writable} stdout
 * @property {import('node:stream').Writable} stderr
 */

function quote(word) {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

/** The shell script that the guest runs: this process's environment and working directory, then the command. */
function commandScript(command) {
  const exports = Object.entries(process.env)
    .filter(([name]) => /^[A-Za-z_]\w*$/.test(name) && !['_', 'SHLVL', 'OLDPWD'].includes(name))
    .map(([name, value]) => `export ${name}=${quote(value)}\n`);
  return `${exports.join('')}cd ${quote(process.cwd())} || exit\nexec ${command.map(quote).join(' ')}\n`;
}

function sharedFolder(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    throw new VmError(`"${path}" cannot be shared with the guest: there is no such folder.`);
  }
  return realpathSync(path);
}

/** Resolves when everything from the stream has been passed on, or the stream is destroyed. */
function passOn(from, to) {
  from.pipe(to, { end: false });
  return new Promise((resolve) => from.on('close', resolve));
}

/** Resolves when the process has ended, by force if its time is over. */
function ended(child, streams, { timeout = 300, stderr }) {
  return new Promise((resolve, reject) => {
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      child.kill('SIGKILL');
    }, timeout * 1000);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (status, signal) => {
      clearTimeout(timer);
      if (timedOut) {
        // A process that the command started may keep them open
        for (const stream of streams) stream.destroy();
        stderr.write(`vm: the command did not end within the time limit of ${timeout} s.\n`);
      }
      resolve({ timedOut, status: status ?? 128 + constants.signals[signal] });
    });
  });
}

/**
 * Runs a command on the running kernel, as an ordinary process.
 * @param {Run} run
 * @returns {Promise<number>} its exit status, or timeLimitStatus
 */
export async function runNatively(run) {
  const [program, ...args] = run.command;
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const read = Promise.all([passOn(child.stdout, run.stdout), passOn(child.stderr, run.stderr)]);
  const { timedOut, status } = await ended(child, [child.stdout, child.stderr], run).catch((error) => {
    throw new VmError(`"${program}" could not be run: ${error.message}.`);
  });
  await read;
  return timedOut ? timeLimitStatus : status;
}

function lastLines(path, count) {
  return readFileSync(path, 'utf8').trimEnd().split('\n').slice(-count).join('\n');
}

/**
 * Runs a command in a separate machine, as root, on the host's files (read-only under a RAM overlay, except the folders
 * `rw`), in the current directory and with the current environment.
 * @param {import('./kernels.mjs').KernelKind} kind
 * @param {Run} run
 * @returns {Promise<number>} its exit status, or timeLimitStatus
 * @throws {VmError}
 */
export async function runInGuest(kind, run) {
  const reason = vmUnavailable(kind);
  if (reason) throw new VmError(reason);
  const image = findKernel(kind) ?? '';
  const { verbose = false } = run;
  const rw = (run.rw ?? []).map(sharedFolder);

  // A path without spaces, which the kernel's command line cannot contain
  const runFolder = mkdtempSync('/tmp/tracewright-vm-');
  const console = join(runFolder, 'console');
  const statusFile = join(runFolder, 'status');
  const removeRunFolder = () => rmSync(runFolder, { recursive: true, force: true });
  process.once('exit', removeRunFolder);
  try {
    writeFileSync(join(runFolder, 'command'), commandScript(run.command));
    writeFileSync(join(runFolder, 'rw'), rw.map((folder) => `${folder}\n`).join(''));
    const mark = Buffer.concat([Buffer.of(0), randomBytes(32)]);
    writeFileSync(join(runFolder, 'mark'), mark);
    const guestInit = join(runFolder, 'init');
    copyFileSync(init, guestInit);
    const machine = { image, init: guestInit, runFolder, rw, verbose };
    const { command, env } =
      kind === 'uml' ? userModeLinux(machine) : qemu({ ...machine, initramfs: initramfs(busybox, init) });

    const consoleFile = openSync(console, 'w');
    const output = verbose ? 2 : consoleFile;
    const child = spawn(command[0], command.slice(1), {
      env,
      stdio: ['ignore', output, output, 'pipe', 'pipe'],
    });
    closeSync(consoleFile);
    const streams = [child.stdio[3], child.stdio[4]].map((source) =>
      /** @type {import('node:stream').Readable} */ (source).pipe(new UntilMark(mark)),
    );
    const read = Promise.all([passOn(streams[0], run.stdout), passOn(streams[1], run.stderr)]);
    read.then(() => child.kill('SIGKILL'));
    const { timedOut, status } = await ended(child, streams, run);
    await read;
    if (timedOut) return timeLimitStatus;
    if (existsSync(statusFile)) return Number(readFileSync(statusFile, 'utf8'));
    if (!existsSync(runFolder)) {
      throw new VmError(`The folder of this run, ${runFolder}, was removed while the guest was using it.`);
    }
    throw new VmError(
      `The ${kind} guest ended (status ${status}) and has not run the command:\n${lastLines(console, 20)}`,
    );
  } finally {
    process.off('exit', removeRunFolder);
    removeRunFolder();
  }
}
