/** Short runs of `scripts/endurance`; run them for ten minutes when sessions or their threads change. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../scripts/endurance');

it.each(['interrupted-sessions', 'dying-workers'])(
  '%s: everything written is in the traces, or counted as missing',
  { timeout: 120_000 },
  (name) => {
    const args = ['--expose-gc', join(folder, `${name}.mjs`), '--seconds', '5', '--seed', '7'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, {
      encoding: 'utf8',
      timeout: 100_000,
    });
    expect(stderr).toBe('');
    expect(stdout).toMatch(new RegExp(`^${name}, 5 s, seed 7: .*: 0 wrong\\n$`));
    expect(status).toBe(0);
  },
);
