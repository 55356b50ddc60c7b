/** Sessions under interruptions and under load: whatever is written is in the trace, or counted as missing. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { isSoak, showSoak, soakFor } from '../soak.ts';

const { seconds, timeout } = soakFor(5);

async function run(name: string, ...args: string[]) {
  const program = join(import.meta.dirname, 'soak-programs', `${name}.mjs`);
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--expose-gc', program, String(seconds), ...args],
    { timeout },
  );
  expect(stderr).toBe('');
  showSoak(name, stdout.trimEnd());
  return JSON.parse(stdout);
}

describe('everything written is in the traces, or counted as missing', { timeout }, () => {
  it('if stack overflows, failing allocations and terminations interrupt it, on any thread', async () => {
    const seed = isSoak ? Date.now() % 1_000_000 : 7;
    const { wrong, events, terminated } = await run('sessions', String(seed));
    expect(wrong).toEqual([]);
    expect(events).toBeGreaterThan(1000);
    expect(terminated).toBeGreaterThan(0);
  });

  it('if five threads write 50,000 events per second', async () => {
    const { wrong, events, dropped } = await run('load');
    expect(wrong).toEqual([]);
    expect(events + dropped).toBe(50_000 * seconds);
  });
});
