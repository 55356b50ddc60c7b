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
