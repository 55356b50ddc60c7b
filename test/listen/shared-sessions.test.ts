/** Sessions shared by several threads of a process. Each case runs in a separate process. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const program = join(import.meta.dirname, 'programs/shares-sessions.mjs');

/** The lines that the threads of the program print. It ends by itself, or the time is up. */
function heard(name: string): string[] {
  const { stdout, stderr, status } = spawnSync(process.execPath, ['--no-warnings', program, name], {
    encoding: 'utf8',
    timeout: 20_000,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout.trim().split('\n');
}

const big = 2n ** 63n;

it('an existing thread notices when a session starts and ends', () => {
  expect(heard('before')).toEqual(['there listens', `there starts a 7 ${big}`, 'there ends a']);
});

it('a new thread finds the session at once, and so does a thread that it creates itself', () => {
  expect(heard('later')).toEqual([
    `later starts a 7 ${big}`,
    'later listens',
    `nested starts a 7 ${big}`,
    'nested listens',
    'later ends a',
    'nested ends a',
  ]);
});

it('a thread created before a session that listens after its start has not missed it', () => {
  expect(heard('missed')).toEqual(['late listens', `late starts a 7 ${big}`, 'late ends a']);
});

it('a session that has ended is not announced any more', () => {
  expect(heard('over')).toEqual(['created listens', `created starts b 8 ${big}`]);
});

it('a thread that exits ends its sessions', () => {
  expect(heard('sharer')).toEqual([`main starts of 1 9 ${big}`, 'main ends of 1']);
});

it("a thread cannot break another thread's session", () => {
  expect(heard('fails')).toEqual([
    'TracewrightWarning: A session (test) of another thread failed in this one: Error: broken',
  ]);
});

it("a thread's own sessions are not announced to itself, and keep nothing alive", () => {
  expect(heard('own')).toEqual(['']);
});
