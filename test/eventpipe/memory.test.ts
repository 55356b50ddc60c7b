/** Sessions leave nothing behind in memory. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const folder = mkdtempSync(join(tmpdir(), 'tracewright-session-memory-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('consecutive sessions, and many at once, release their memory', { timeout: 120_000 }, () => {
  const program = join(import.meta.dirname, 'programs/many-sessions.mjs');
  // With a large young generation, so that nothing else makes V8 collect the buffers.
  const args = ['--expose-gc', '--max-semi-space-size=64', program, folder];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  const { rss, arrayBuffers } = JSON.parse(stdout) as { rss: number[]; arrayBuffers: number };
  // Buffers of the C library had it at more than 1,000 MB.
  expect(Math.max(...rss)).toBeLessThan(400);
  expect(arrayBuffers).toBeLessThan(20e6);
});

it('a session keeps nothing of what it has written', { timeout: 60_000 }, () => {
  const program = join(import.meta.dirname, 'programs/flushed-rounds.mjs');
  const args = ['--expose-gc', program, join(folder, 'rounds.nettrace')];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(stderr).toBe('');
  // Of 20 MB in all. Rounds that each kept the next one left more than 15.
  expect(Number(stdout)).toBeLessThan(10e6);
});
