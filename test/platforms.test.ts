/** Every test runs on every platform, or says in its name why not: nobody notices silently skipped tests. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

/** These run in a Linux guest or in Wine, and have reasons of their own. */
const ELSEWHERE = /^(kernel|native|windows)\b/;
const sources = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .map((name) => name.replaceAll('\\', '/'))
  .filter((name) => name.endsWith('.ts') && !ELSEWHERE.test(name) && name !== 'platforms.test.ts')
  .map((name) => ({ name, text: readFileSync(join(import.meta.dirname, name), 'utf8') }));

/** What only POSIX has, or only Linux; a test that uses it has a reason beside it. */
const POSIX =
  /mkdtempSync\('\/tmp|'\/dev\/(?:full|null|zero)'|'\/proc\/|`\/proc\/|'mkfifo'|spawn(?:Sync)?\('(?:sh|bash)'|symlinkSync\([^)]*\)(?<!'junction'\))|process\.getuid\(\)|chmodSync\(/;
const REASONS = /\bprocess\.platform [!=]==|\bnamed\(|\bskipReason\b|\bNO_SOCKETS\b|process\.getuid\?\.\(\)/;

it('is not silently skipped: skipIf has a reason, which the name says', () => {
  const silent = sources.filter(({ text }) =>
    /\bskipIf\(\s*process\.platform\b|\brunIf\(|\b(?:it|test|describe)\.skip\b/.test(text),
  );
  expect(silent.map(({ name }) => name)).toEqual([]);
});

it('uses nothing that other platforms lack, unless it says so', () => {
  const unguarded = sources.filter(({ text }) => POSIX.test(text) && !REASONS.test(text));
  expect(unguarded.map(({ name }) => name)).toEqual([]);
});
