/** The quick tests pass in Windows' own node.exe, too: what a test or the library takes for granted of Linux fails here. */
import { describe, expect, it } from 'vitest';
import { runTestsInWine } from '../../scripts/windows/test.mjs';
import { skipReason, suiteName } from './run-program.ts';

describe.skipIf(skipReason !== undefined)(suiteName('the quick tests'), () => {
  it('pass in node.exe, apart from those that name what Wine lacks', { timeout: 2_500_000 }, async () => {
    const { status, stdout, stderr } = await runTestsInWine([]);
    expect(status, `${stdout}\n${stderr}`.slice(-20_000)).toBe(0);
    expect(Number(/Tests +(\d+) passed/.exec(stdout)?.[1])).toBeGreaterThan(3000);
  });
});
