/** `tracewright diff` as a user types it, on the built package and recordings of a real program. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const program = fileURLToPath(new URL('programs/serves-slower.mjs', import.meta.url));
const auto = new URL('../../dist/cjs/auto.cjs', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-diff-'));
const [before, after] = [join(folder, 'before.nettrace'), join(folder, 'after.nettrace')];
afterAll(() => rmSync(folder, { recursive: true }));

function tracewright(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

/** @param mode what is different in the program */
function record(output: string, mode: string): void {
  const command = [process.execPath, '--import', auto, program, mode];
  expect(tracewright('collect', '-o', output, '--', ...command)).toMatchObject({ status: 0 });
}

interface Kind {
  readonly label: string;
  readonly differences: readonly {
    readonly measure: string;
    readonly before: number;
    readonly after: number;
  }[];
  readonly causes: readonly { readonly state: string; readonly what: string; readonly isCertain: boolean }[];
}

describe('a program that was recorded twice', () => {
  beforeAll(() => {
    record(before, 'before');
    record(after, 'after');
  }, 120_000);

  it('is compared with itself', () => {
    const { status, stdout } = tracewright('diff', before, before);
    expect(status).toBe(0);
    expect(stdout).toMatch(/^No difference beyond noise, in \d+ comparisons\.$/m);
  });

  it('says what became slower, by what, and what fails or is new', () => {
    const { status, stdout, stderr } = tracewright('diff', '--json', before, after);
    expect({ status, stderr }).toMatchObject({ status: 0 });
    const { schema, different } = JSON.parse(stdout) as { schema: number; different: readonly Kind[] };
    expect(schema).toBe(1);
    const of = (label: string) => different.find((kind) => kind.label === label);
    const measures = (label: string) => of(label)?.differences.map(({ measure }) => measure);
    expect(measures('GET /sleep')).toContain('duration');
    expect(of('GET /sleep')?.causes[0]).toMatchObject({ state: 'timer', isCertain: true });
    expect(measures('GET /fail')).toContain('failures');
    expect(measures('GET /new')).toEqual(['frequency']);
    expect(
      of('GET /same')?.differences.filter(({ measure }) => /failures|calls/.test(measure)) ?? [],
    ).toEqual([]);
  });

  it('says it in sentences', () => {
    const { stdout } = tracewright('diff', before, after);
    expect(stdout).toMatch(/^GET \/sleep became slower: p50 .* by timers of its own, on average/m);
    expect(stdout).toMatch(
      /^GET \/fail fails more often: 100 % instead of 0 % \(60 of 60, before 0 of 60\)\.$/m,
    );
    expect(stdout).toMatch(/^GET \/new is new: 60 times\.$/m);
  });

  it('compares only what was asked for', () => {
    const { stdout } = tracewright('diff', '--name', 'GET /new', before, after);
    expect(stdout.trim().split('\n')[0]).toBe('GET /new is new: 60 times.');
  });
});

describe('the command line', () => {
  it('takes two files', () => {
    expect(tracewright('diff', before)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('diff takes two files, BEFORE and AFTER.'),
    });
    expect(tracewright('diff', before, join(folder, 'none.nettrace'))).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('There is no file'),
    });
  });
});
