// An event on Windows, as far as it can be timed here: in the real node.exe under Wine, with the tests' recorder in
// place of ETW. The recorder's own time is not part of Windows' cost; the same call without an event around it is the
// baseline.
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildForWindows, windowsBuildUnavailable } from '../windows/build.mjs';
import { runInWine, windowsPath, wineUnavailable } from '../windows/wine.mjs';

const root = join(import.meta.dirname, '../..');

/** Under Wine, the clock of a process's CPU time is too coarse. */
const timing = {
  full: { clock: 'wall', roundMs: 60, rounds: 7 },
  quick: { clock: 'wall', roundMs: 30, rounds: 3 },
};

/**
 * @param {{ quick: boolean }} options
 * @returns {Promise<{ processes: Record<string, number[][]> } | { reason: string }>}
 */
export async function measureEtw({ quick }) {
  const reason = wineUnavailable() ?? windowsBuildUnavailable();
  if (reason !== undefined) return { reason };
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-bench-'));
  try {
    const { addon, recorder } = buildForWindows();
    const installed = join(folder, 'node_modules/tracewright');
    mkdirSync(join(installed, 'prebuilds/win32-x64'), { recursive: true });
    cpSync(addon, join(installed, 'prebuilds/win32-x64/tracewright.node'));
    cpSync(join(root, 'dist'), join(installed, 'dist'), { recursive: true });
    cpSync(join(root, 'package.json'), join(installed, 'package.json'));
    for (const file of [
      'scripts/bench/etw-guest.mjs',
      'scripts/bench/measure.mjs',
      'test/windows/recorder/recorder.mjs',
    ]) {
      cpSync(join(root, file), join(folder, file.slice(file.lastIndexOf('/') + 1)));
    }
    const size = quick ? 'quick' : 'full';
    const { status, stdout, stderr } = await runInWine(
      ['--require', windowsPath(recorder), 'etw-guest.mjs', JSON.stringify(timing[size])],
      { cwd: folder, env: { TRACEWRIGHT_ETW_RECORDER: windowsPath(recorder) }, timeout: 120 },
    );
    if (status !== 0)
      return { reason: `node.exe ended with status ${status}: ${stderr.replaceAll('\r', '').trim()}` };
    return { processes: JSON.parse(stdout) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
