/**
 * Runs the programs next to this file in the real node.exe, under Wine, on the package as Windows users get it, and
 * reads their output; with `recorder`, also all calls to ETW.
 */
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll } from 'vitest';
import { isRequired } from '../../scripts/lib/require.mjs';
import { buildForWindows, windowsBuildUnavailable } from '../../scripts/windows/build.mjs';
import { runInWine, windowsPath, wineUnavailable } from '../../scripts/windows/wine.mjs';
import type { EtwCall } from './etw-call.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Set TRACEWRIGHT_REQUIRE=wine to have a missing Wine or compiler fail instead of skip. */

/** Why these tests are skipped; undefined when they are not, or must not be. */
export const skipReason = isRequired('wine') ? undefined : (wineUnavailable() ?? windowsBuildUnavailable());

/** For the name of a suite. */
export function suiteName(what: string): string {
  return skipReason === undefined ? `${what} (Windows)` : `${what} (Windows; skipped: ${skipReason})`;
}

// On a bare machine the build takes a minute, and files wait for each other's: no test pays for it.
let built: ReturnType<typeof buildForWindows>;
if (skipReason === undefined) {
  beforeAll(() => {
    built = buildForWindows();
  }, 600_000);
}

export interface ProgramOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Records what addons ask of ETW; the program may play sessions, with recorder/recorder.mjs. */
  readonly recorder?: boolean;
  /** Leaves the addon out of the package. */
  readonly withoutAddon?: boolean;
  /** The name of the folder that has the package and the programs. */
  readonly folder?: string;
  /** What else the folder has. */
  readonly prepare?: (folder: string) => Promise<void>;
  /** The exit status to expect; default 0. */
  readonly status?: number;
  /** Seconds; default 60. */
  readonly timeout?: number;
}

export interface ProgramRun<Result> {
  /** The JSON that the program printed last; undefined when it printed nothing. */
  readonly result: Result;
  readonly stdout: string;
  readonly stderr: string;
  /** Empty without `recorder`. */
  readonly calls: readonly EtwCall[];
}

/**
 * Runs a program, such as `programs/requests.mjs`.
 * @throws {Error} with its whole output when it ends with another status than expected
 */
export async function runProgram<Result>(
  program: string,
  options: ProgramOptions = {},
): Promise<ProgramRun<Result>> {
  const { args = [], recorder = false, withoutAddon = false, status = 0, timeout = 60 } = options;
  const scratch = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
  const folder = join(scratch, options.folder ?? '.');
  try {
    install(folder, withoutAddon ? undefined : built.addon);
    await options.prepare?.(folder);
    const log = join(folder, 'calls.jsonl');
    const env: Record<string, string> = { TRACEWRIGHT_ETW_PROBE: windowsPath(built.probe) };
    if (recorder) {
      env.TRACEWRIGHT_ETW_RECORDER = windowsPath(built.recorder);
      env.TRACEWRIGHT_ETW_LOG = windowsPath(log);
    }
    // Before all other addons: it sees those that are loaded later
    const first = recorder ? ['--require', windowsPath(built.recorder)] : [];
    const run = () =>
      runInWine([...first, program, ...args], { cwd: folder, env: { ...env, ...options.env }, timeout });
    let ended = await run();
    // A Wine that starts while its server ends fails without a word, before the program has begun.
    const hasNotBegun = ended.status === 1 && `${ended.stdout}${ended.stderr}` === '' && !existsSync(log);
    if (hasNotBegun && status !== 1) ended = await run();
    if (ended.status !== status) {
      throw new Error(`${program} ended with ${ended.status}:\n${ended.stdout}${ended.stderr}`);
    }
    const { stdout } = ended;
    return { result: lastJson<Result>(stdout), stdout, stderr: ended.stderr, calls: readCalls(log) };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

/** The package in node_modules, and the programs as they lie beside this file. */
function install(folder: string, addon: string | undefined): void {
  const packageFolder = join(folder, 'node_modules/tracewright');
  for (const part of ['package.json', 'dist']) {
    cpSync(join(root, part), join(packageFolder, part), { recursive: true });
  }
  if (addon !== undefined) {
    mkdirSync(join(packageFolder, 'prebuilds/win32-x64'), { recursive: true });
    cpSync(addon, join(packageFolder, 'prebuilds/win32-x64/tracewright.node'));
  }
  for (const part of ['programs', 'recorder/recorder.mjs']) {
    cpSync(fileURLToPath(new URL(part, import.meta.url)), join(folder, part), { recursive: true });
  }
}

function lastJson<Result>(stdout: string): Result {
  const last = stdout.trimEnd().split('\n').at(-1) ?? '';
  return (last === '' ? undefined : JSON.parse(last)) as Result;
}

function readCalls(log: string): EtwCall[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as EtwCall);
}
