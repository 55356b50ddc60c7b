// Running Windows programs in node.exe under Wine: see wine.d.mts.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeExe, prefix, wine, wineEnvironment } from './wine-files.mjs';

const install = 'run scripts/windows/install-tools.sh';

/** As timeout(1) and as a shell after SIGABRT have them. */
const TIMED_OUT = 124;
const CRASHED = 134;

export function wineUnavailable() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `Wine runs 64-bit Windows programs on linux-x64 only, and this is ${process.platform}-${process.arch}.`;
  }
  if (!existsSync(wine)) return `${wine} is missing: ${install}, or install wine64.`;
  if (!existsSync(nodeExe)) return `${nodeExe} is missing: ${install}.`;
  if (!existsSync(prefix)) return `${prefix} is missing: ${install}.`;
  return undefined;
}

export function windowsPath(path) {
  return `Z:${path.replaceAll('/', '\\')}`;
}

export async function runInWine(args, { env = {}, cwd, timeout = 60 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-wine-'));
  // Files: node.exe cannot write to a Unix pipe, and Wine's server would keep one open
  const paths = ['stdout', 'stderr'].map((name) => join(folder, name));
  const files = paths.map((path) => openSync(path, 'w'));
  try {
    const ended = await end(args, { cwd, env: { ...wineEnvironment, ...env }, files }, timeout);
    const [stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8'));
    // Wine may say 0 after an exception that nobody caught
    const crashed = ended === 0 && stderr.includes('wine: Unhandled');
    return { status: crashed ? CRASHED : ended, stdout, stderr };
  } finally {
    for (const file of files) closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

/** The status that node.exe ends with, or TIMED_OUT. */
function end(args, { cwd, env, files }, timeout) {
  return new Promise((resolve, reject) => {
    const child = spawn(wine, [nodeExe, ...args], { cwd, env, stdio: ['ignore', ...files], detached: true });
    let timedOut = false;
    const timer = setTimeout(() => {
      timedOut = true;
      // With what it has started: the processes of a Wine program are one group, as it is itself
      process.kill(-child.pid, 'SIGKILL');
    }, timeout * 1000);
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(timedOut ? TIMED_OUT : (code ?? CRASHED));
    });
  });
}
