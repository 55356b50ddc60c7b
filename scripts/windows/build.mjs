// Cross-builds the addon for 64-bit Windows on Linux, with mingw-w64, into prebuilds/win32-x64: `npm run
// build:windows`. For tests: what ships is built on Windows. Silent unless it fails.
import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { missingPrograms } from '../lib/installed.mjs';
import { report, run, ToolError } from '../lib/run.mjs';

const root = join(import.meta.dirname, '../..');
// Not the build/ that node-gyp empties before each build of its own
const buildFolder = join(root, 'test/windows/build');

/**
 * Why the addon cannot be built for Windows here, as a sentence that names the fix; undefined when it can.
 * @returns {string | undefined}
 */
export function windowsBuildUnavailable() {
  const missing = missingPrograms(['x86_64-w64-mingw32-g++-posix', 'cmake', 'make', 'flock']);
  if (missing.length === 0) return undefined;
  return (
    'The addon cannot be built for Windows, because this is missing: ' +
    `${missing.join(', ')}; on Debian and Ubuntu, scripts/windows/install-tools.sh installs it.`
  );
}

/**
 * Builds what is out of date of the addon and of the addons that only tests use.
 * @returns {{ addon: string, recorder: string, probe: string }} the paths of the built files
 * @throws {ToolError} when something is missing, or the build fails, with its whole output
 */
export function buildForWindows() {
  const unavailable = windowsBuildUnavailable();
  if (unavailable) throw new ToolError(unavailable, '');
  mkdirSync(buildFolder, { recursive: true });
  // Test files run side by side, and each wants the build
  const cmake = (...args) => run('flock', [join(buildFolder, '.lock'), 'cmake', ...args], { cwd: root });
  cmake(
    `-S${root}`,
    `-B${buildFolder}`,
    `-DCMAKE_TOOLCHAIN_FILE=${join(import.meta.dirname, 'mingw64.cmake')}`,
    '-DCMAKE_BUILD_TYPE=Release',
  );
  cmake('--build', buildFolder, '--parallel', String(availableParallelism()));
  cmake('--install', buildFolder, '--prefix', root);
  return {
    addon: join(buildFolder, 'tracewright.node'),
    recorder: join(buildFolder, 'test/windows/etwrec.node'),
    probe: join(buildFolder, 'test/windows/etwprobe.node'),
  };
}

if (import.meta.filename === process.argv[1]) {
  try {
    buildForWindows();
  } catch (error) {
    report(error);
  }
}
