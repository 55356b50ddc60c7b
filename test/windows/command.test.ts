/** A command that is a batch file, as npm makes them, run by Wine's cmd.exe; on Windows, test/cli does this. */
import { expect, it } from 'vitest';
import { hostileArguments } from '../cli/hostile-arguments.ts';
import { runProgram, skipReason, suiteName } from './run-program.ts';

it.skipIf(skipReason !== undefined)(
  suiteName('a batch file receives its arguments unchanged, and its end is reported'),
  { timeout: 120_000 },
  async () => {
    // Wine's cmd.exe takes %% for one percent sign, as in a batch file; Windows' own does not on a command line.
    const list = hostileArguments.filter((arg) => !arg.includes('%'));
    const lists = [[], ['start', '--port=1', '--', 'x y'], list];
    const { result, stderr } = await runProgram<{ got: string[][]; ends: string[] }>(
      'programs/batch-file.mjs',
      {
        args: [Buffer.from(JSON.stringify(lists)).toString('base64')],
      },
    );
    expect(stderr).toBe('');
    expect(result.got).toEqual(lists);
    expect(result.ends).toEqual(['shown exited with status 7']);
  },
);
