// Runs JavaScript in the real node.exe, under Wine, for tests. A start takes a third of a second. Wine has stubs in place
// of ETW.
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeExe, prefix, wine, wineEnvironment } from './wine-files.mjs';

const install = 'run scripts/windows/install-tools.sh';

/** As timeout(1) and as a shell after SIGABRT have them. */
const TIMED_OUT = 124;
const CRASHED = 134;

/** Why Windows programs cannot run here, as a sentence that names the fix; undefined if they can. */
export function wineUnavailable() {
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return `Wine runs 64-bit Windows programs on linux-x64 only, and this is ${process.platform}-${process.arch}.`;
  }
  if (!existsSync(wine)) return `${wine} is missing: ${install}, or install wine64.`;
  if (!existsSync(nodeExe)) return `${nodeExe} is missing: ${install}.`;
  if (!existsSync(prefix)) return `${prefix} is missing: ${install}.`;
  return undefined;
}

/** The path by which a Windows program knows a file of Linux. */
export function windowsPath(path) {
  return `Z:${path.replaceAll('/', '\\')}`;
}

/**
 * @typedef {object} WineOptions
 * @property {Readonly<Record<string, string>>} [env] beside what Wine needs; nothing of the caller's environment comes
 *   through
 * @property {string} [cwd]
 * @property {number} [timeout] in seconds, 60 by default
 */

/**
 * Runs node.exe with these arguments, stdin empty.
 * @param {readonly string[]} args
 * @param {WineOptions} options
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>} the low 8 bits of the exit code (124 if the time
 *   limit ended it, 134 if an exception did that nobody caught outside of JavaScript), and the output
 */
export async function runInWine(args, { env = {}, cwd, timeout = 60 } = {}) {
  const unavailable = wineUnavailable();
  if (unavailable) throw new Error(unavailable);
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-wine-'));
  // Files: node.exe cannot write to a Unix pipe, and Wine's server would keep one open
  const paths = ['stdout', 'stderr'].map((name) => join(folder, name));
  const files = paths.map((path) => openSync(path, 'w'));
  try {
    const status = await end(args, {
      cwd,
      env: { ...wineEnvironment, ...env },
      stdio: ['ignore', ...files],
      timeout: timeout * 1000,
      killSignal: 'SIGKILL',
    });
    const [stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8'));
    // Wine has another status for each exception that nobody caught, 0 among them
    return { status: stderr.includes('wine: Unhandled') ? CRASHED : status, stdout, stderr };
  } finally {
    for (const file of files) closeSync(file);
    rmSync(folder, { recursive: true });
  }
}

/** The status that node.exe ends with, or TIMED_OUT; what node.exe has started ends with it, as on Windows. */
function end(args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(wine, [nodeExe, ...args], options);
    child.on('error', reject);
    child.on('exit', (code) => resolve(child.killed ? TIMED_OUT : (code ?? CRASHED)));
  });
}
