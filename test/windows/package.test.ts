/** The package on Windows: everything that needs no tracer. */
import { describe, expect, it } from 'vitest';
import { runProgram, skipReason, suiteName } from './run-program.ts';

interface Run {
  readonly status: { readonly backend: string; readonly reason?: string };
  readonly heard: readonly (readonly [name: string, path: string, payload: object])[];
  readonly platform: string;
}

const HEARD = [
  ['RequestStart', '//1/1', { url: '/a' }],
  ['RequestStart', '//1/2', { url: '/b' }],
  ['CacheMiss', '//1/1', { key: '/a', size: 7 }],
  ['RequestStop', '//1/1', { success: true, errorMessage: '' }],
  ['CacheMiss', '//1/2', { key: '/b', size: 7 }],
  ['RequestStop', '//1/2', { success: true, errorMessage: '' }],
];

describe.skipIf(skipReason !== undefined)(suiteName('the package'), { timeout: 60_000 }, () => {
  it('loads its addon, and delivers events with their activities to listeners in the process', async () => {
    const { result, stderr } = await runProgram<Run>('programs/package.mjs');
    expect(result.platform).toBe('win32');
    expect(result.status).toEqual({ backend: 'etw', problems: [] });
    expect([...result.heard].sort()).toEqual([...HEARD].sort());
    expect(stderr).toBe('');
  });

  it('does the same without its addon, and says that it is missing', async () => {
    const { result, stderr } = await runProgram<Run>('programs/package.mjs', { withoutAddon: true });
    expect(result.status.backend).toBe('none');
    expect(result.status.reason).toMatch(
      /^The native addon could not be loaded \(there is no build.Release.tracewright\.node and no prebuilds.win32-x64.\*\.node in .*\), so no event reaches the kernel: install the package again /,
    );
    expect([...result.heard].sort()).toEqual([...HEARD].sort());
    expect(stderr).toBe('');
  });

  it('works in workers that start before, with and after the main thread', async () => {
    const { result, stderr } = await runProgram<Record<string, unknown>>('programs/worker.mjs');
    const heard = (root: string) => ({
      backend: 'etw',
      heard: [
        ['WorkStart', root],
        ['WorkStop', root],
      ],
    });
    expect(result).toEqual({
      first: { code: 0, ...heard('//2/1') },
      // Its listener is there still when the same source is defined again: both write the same events.
      main: { backend: 'etw', heard: [...heard('//1/1').heard, ...heard('//1/2').heard] },
      others: [
        { code: 0, ...heard('//3/1') },
        { code: 0, ...heard('//4/1') },
      ],
      again: heard('//1/2'),
    });
    expect(stderr).toBe('');
  });

  it('lets the process exit in the middle of its work', async () => {
    const { stderr } = await runProgram('programs/exit.mjs', { status: 7 });
    expect(stderr).toBe('');
  });
});
