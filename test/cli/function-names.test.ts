/** The app's folder after `tracewright record --cpu -- COMMAND` is as before, whatever V8 writes into it. */
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { namingOptions } from '../../lib/cli/record/function-names.ts';
import { describeEachNode } from '../child/each-node.ts';
import { linuxOnly, named } from '../platforms.ts';
import { RunningCommand } from './run-tracewright.ts';

const noLinux = linuxOnly('perf maps');

describe('NODE_OPTIONS that name functions', () => {
  it.each([
    [undefined, '--perf-basic-prof'],
    ['--no-warnings', '--no-warnings --perf-basic-prof'],
    ['--no-perf-basic-prof', '--no-perf-basic-prof'],
    ['--perf-prof', '--perf-prof'],
    ['--perf-basic-prof-only-functions', '--perf-basic-prof-only-functions'],
  ])('keep what %s says', (given, expected) => {
    expect(namingOptions(given)).toBe(expected);
  });
});

if (noLinux === undefined) {
  describeEachNode('the working folder of a command whose functions get names', (run) => {
    it('has its own files afterwards, and logs that are still written or were asked for', async () => {
      expect(await run('cli/programs/function-names.mjs')).toEqual({
        variables: { NODE_OPTIONS: '--no-warnings --perf-basic-prof' },
        plain: { stdout: 'out\n', logs: 2 },
        profiled: { stdout: 'out\n', logs: 2 },
        left: [
          'app.log',
          'isolate-0x1-ENDED-v8.log',
          'isolate-0x2-ENDED-v8.log',
          'isolate-0x3-ENDED-v8.log',
          'isolate-0xN-PROFILED-v8.log',
          'isolate-0xN-RUNNING-v8.log',
        ],
        hasPrecious: true,
      });
    });
  });
}

const noSampling = noLinux ?? (await samplingProblem());

describe.skipIf(noSampling !== undefined)(named('a command that is sampled', noSampling), () => {
  it('leaves the folder as it was, and prints what it prints otherwise', async () => {
    const program = `require('node:fs').writeFileSync('own', ''); console.log(process.pid, process.env.NODE_OPTIONS)`;
    const { stdout, files } = await recorded(['--', process.execPath, '-e', program]);
    const [, processId, options = ''] = /^(\d+) (.*)\n$/.exec(stdout) ?? [];
    rmSync(`/tmp/perf-${processId}.map`);
    expect(options).toMatch(/--perf-basic-prof$/);
    expect(files).toEqual(['own']);
  });

  it('prints no log if it may not write the folder: its functions get no names then', async () => {
    const command = ['sh', '-c', 'echo "options: $NODE_OPTIONS"'];
    // Root may write everywhere.
    const args = process.geteuid?.() === 0 ? ['--user', 'nobody', '--', ...command] : ['--', ...command];
    const { stdout, stderr } = await recorded(args, 0o555);
    expect(stdout).not.toContain('--perf-basic-prof');
    expect(stderr).toMatch(
      /^tracewright: The samples will not name functions of JavaScript: .* the working folder \S+ cannot be written \(EACCES\)\.$/m,
    );
  });
});

/** Why this user may not sample a command of its own here. */
async function samplingProblem(): Promise<string | undefined> {
  const { status, stderr } = await recorded(['--', 'true']);
  return status === 0 ? undefined : stderr.trim();
}

/** Samples a command in a folder of its own. @returns also the files that the folder has afterwards */
async function recorded(args: readonly string[], mode = 0o755) {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-sampled-'));
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  chmodSync(folder, 0o755);
  chmodSync(cwd, mode);
  try {
    const end = await new RunningCommand(['record', '--cpu', '-o', join(folder, 'a.data'), ...args], {
      cwd,
    }).end();
    return { ...end, files: readdirSync(cwd) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
