/** The command line of `npm run vm`. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { skipReason, suiteName } from './guest.ts';

const script = fileURLToPath(new URL('../../scripts/vm/run.mjs', import.meta.url));

function vm(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe.skipIf(skipReason('uml') !== undefined)(
  suiteName('npm run vm --', 'uml'),
  { timeout: 30_000 },
  () => {
    it('accepts a command with or without -- before it, and leaves the command its options', () => {
      const hello = { status: 3, stdout: 'hello --cpus\n', stderr: '' };
      const command = ['sh', '-c', 'echo hello $0; exit 3', '--cpus'];
      expect(vm(...command)).toEqual(hello);
      expect(vm('--', ...command)).toEqual(hello);
      expect(vm('--timeout=20', ...command)).toEqual(hello);
    });
  },
);

describe('npm run vm', () => {
  it('says what it does not understand', () => {
    expect(vm('--bogus', 'ls')).toMatchObject({
      status: 125,
      stdout: '',
      stderr: "vm: Unknown option '--bogus'\n",
    });
    expect(vm('--timeout', '0', 'ls').stderr).toBe(
      'vm: --timeout takes a whole number from 1, and "0" is none.\n',
    );
    expect(vm().stderr).toMatch(/^vm: There is no command to run\.\n/);
    expect(vm('--help')).toMatchObject({ status: 0, stderr: '' });
  });
});
