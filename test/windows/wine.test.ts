/** Running programs in node.exe under Wine: their output, and how they end. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { buildForWindows } from '../../scripts/windows/build.mjs';
import { runInWine, type WineOptions, windowsPath } from '../../scripts/windows/wine.mjs';
import { skipReason, suiteName } from './run-program.ts';

const programs = fileURLToPath(new URL('programs', import.meta.url));

function run(how: string, argument = '', options: WineOptions = {}) {
  return runInWine(['ends.mjs', how, argument], { cwd: programs, ...options });
}

describe.skipIf(skipReason !== undefined)(suiteName('a program under Wine'), { timeout: 60_000 }, () => {
  it('returns its exit status, and both its outputs to the last byte', async () => {
    const { status, stdout, stderr } = await run('prints', 'é1234567');
    expect({ status, stderr }).toEqual({ status: 0, stderr: 'é1234567\n' });
    expect(stdout.length).toBeGreaterThan(900_000);
    expect(stdout.replaceAll('é1234567', '')).toBe('\n');
    expect(await run('status', '7')).toEqual({ status: 7, stdout: '', stderr: '' });
  });

  it("has the given environment and folder, and nothing of the caller's", async () => {
    process.env.TRACEWRIGHT_TEST_CALLER = 'here';
    const given = await run('tells', 'GIVEN', { env: { GIVEN: 'über' } });
    expect(JSON.parse(given.stdout)).toEqual({ value: 'über', cwd: windowsPath(programs) });
    expect(JSON.parse((await run('tells', 'TRACEWRIGHT_TEST_CALLER')).stdout)).not.toHaveProperty('value');
    delete process.env.TRACEWRIGHT_TEST_CALLER;
  });

  it('fails if it throws, and if an exception outside JavaScript ends it', async () => {
    const thrown = await run('throws', 'what it says');
    expect(thrown.status).toBe(1);
    expect(thrown.stderr).toContain('Error: what it says');
    const crashed = await run('crashes', '', {
      env: { TRACEWRIGHT_ETW_PROBE: windowsPath(buildForWindows().probe) },
    });
    expect(crashed.status).toBe(134);
    expect(crashed.stderr).toContain('wine: Unhandled');
  });

  it('is ended by its time limit', async () => {
    const started = Date.now();
    expect(await run('hangs', '', { timeout: 1 })).toEqual({ status: 124, stdout: '', stderr: '' });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('leaves none of its own processes running when its time limit ends it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tracewright-test-'));
    const file = join(folder, 'ticks');
    expect(await run('startsAndHangs', windowsPath(file), { timeout: 3 })).toMatchObject({ status: 124 });
    const ticks = readFileSync(file, 'utf8').length;
    expect(ticks).toBeGreaterThan(0);
    await sleep(500);
    expect(readFileSync(file, 'utf8').length).toBe(ticks);
    rmSync(folder, { recursive: true });
  });
});
