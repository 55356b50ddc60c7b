/** Automatic activities leave nothing behind in memory. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

it('a request on a lasting connection leaves nothing that V8 collects with the old generation', {
  timeout: 60_000,
}, () => {
  const program = join(import.meta.dirname, 'programs/kept-requests.mjs');
  const { stdout, stderr } = spawnSync(process.execPath, ['--expose-gc', program], { encoding: 'utf8' });
  expect(stderr).toBe('');
  // A set of the open requests had it at 100 bytes. Code that V8 optimizes meanwhile takes some.
  expect(Number(stdout)).toBeLessThan(50);
});
