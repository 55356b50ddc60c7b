/** Files given by a pattern that no shell has expanded, as at the prompts of Windows. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { counterTrace, mean } from './counter-trace.ts';
import { RunningCommand } from './run-tracewright.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tracewright-pattern-'));
  for (const name of ['app-2.nettrace', 'app-1.nettrace', 'other.txt']) {
    writeFileSync(join(folder, name), counterTrace(mean(name, name, 1)));
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

it('stand for the files that match, in order', async () => {
  const { status, stdout, stderr } = await new RunningCommand(['stats', join(folder, '*.nettrace')]).end();
  expect(status, stderr).toBe(0);
  expect(stdout).toContain('app-1.nettrace');
  expect(stdout.indexOf('app-1.nettrace')).toBeLessThan(stdout.indexOf('app-2.nettrace'));
  expect(stdout).not.toContain('other.txt');
});

it('name themselves where none matches', async () => {
  for (const pattern of ['none*.nettrace', 'nowhere/*.nettrace']) {
    const { status, stderr } = await new RunningCommand(['stats', join(folder, pattern)]).end();
    expect(status).toBe(1);
    expect(stderr).toContain(`There is no file ${JSON.stringify(join(folder, pattern))}.`);
  }
});
