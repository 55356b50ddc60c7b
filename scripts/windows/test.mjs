// Runs the quick tests in the real node.exe, under Wine: `npm run test:wine [-- VITEST OPTIONS]`. Vitest and its bundler
// come from npm as Windows gets them; the addon is the cross-built one.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.mjs';
import { report, run } from '../lib/run.mjs';
import { cacheFolder } from '../vm/kernels.mjs';
import { buildForWindows } from './build.mjs';
import { runInWine } from './wine.mjs';

const root = join(import.meta.dirname, '../..');
const manifests = ['package.json', 'package-lock.json'];

/** Wine 8 lacks this DLL of Windows, from which rolldown takes random bytes. */
const RANDOM_DLL = `
  __declspec(dllimport) unsigned char __stdcall SystemFunction036(void *, unsigned long);
  __declspec(dllexport) int __stdcall ProcessPrng(unsigned char *bytes, unsigned long long size) {
    return SystemFunction036(bytes, (unsigned long)size);
  }`;

const randomDll = '@rolldown/binding-win32-x64-msvc/bcryptprimitives.dll';

/** Installs what the lock file names for Windows, in a folder of the cache that this version of the file has. */
function packagesForWindows() {
  const text = manifests.map((name) => readFileSync(join(root, name), 'utf8')).join('\n');
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), `packages-win-x64-${hash}`);
  makeFolder(folder, (scratch) => {
    for (const name of manifests) cpSync(join(root, name), join(scratch, name));
    const target = ['--os=win32', '--cpu=x64', '--ignore-scripts', '--no-audit', '--no-fund'];
    run('npm', ['ci', ...target], { cwd: scratch });
    const args = [
      '-shared',
      '-s',
      '-x',
      'c',
      '-',
      '-ladvapi32',
      '-o',
      join(scratch, 'node_modules', randomDll),
    ];
    run('x86_64-w64-mingw32-gcc', args, { input: RANDOM_DLL, stdio: 'pipe' });
  });
  return join(folder, 'node_modules');
}

/** A copy of this checkout, with the packages and the addon of Windows: by links, modules would find those of Linux. */
function checkoutForWindows(folder) {
  const left = ['.git', 'build', 'node_modules', 'packed', 'prebuilds', 'test/windows/build'].map((name) =>
    join(root, name),
  );
  const { addon } = buildForWindows();
  cpSync(root, folder, { recursive: true, filter: (path) => !left.includes(path) });
  symlinkSync(packagesForWindows(), join(folder, 'node_modules'));
  mkdirSync(join(folder, 'build/Release'), { recursive: true });
  cpSync(addon, join(folder, 'build/Release/tracewright.node'));
}

/**
 * @param {readonly string[]} options for Vitest, such as files
 * @returns {Promise<{ status: number, stdout: string, stderr: string }>} as of `runInWine`
 */
export async function runTestsInWine(options) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-windows-'));
  try {
    checkoutForWindows(folder);
    const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'quick', '--project', 'state'];
    const reporters = ['--reporter', 'default', '--reporter', './test/left-out.ts'];
    // Wine on a busy machine takes its time: only the whole run has a limit
    const patience = ['--testTimeout', '600000'];
    return await runInWine([...vitest, ...reporters, ...patience, ...options], {
      cwd: folder,
      env: { TRACEWRIGHT_WINE: '1', NO_COLOR: '1' },
      timeout: 2400,
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (import.meta.filename === process.argv[1]) {
  try {
    const { status, stdout, stderr } = await runTestsInWine(process.argv.slice(2));
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exitCode = status;
  } catch (error) {
    report(error);
  }
}
