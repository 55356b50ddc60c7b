/**
 * Where Windows differs before any event: drive letters, paths with blanks and other scripts, paths longer than 260
 * characters, named pipes between processes, and the batch files that npm makes of programs.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { openTrace } from '../../lib/trace/open-trace.ts';
import { type ProgramRun, runProgram, skipReason, suiteName } from './run-program.ts';

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Result {
  readonly auto: string;
  readonly ends: readonly Pick<Ended, 'status' | 'stdout'>[];
  readonly said: readonly string[];
  readonly server: { readonly status: number; readonly output: string };
  readonly traces: readonly string[];
  readonly shim: Ended;
  readonly long: Ended;
  readonly longPath: number;
}

const FOLDER = 'ü 漢字 b';
/** The package is found there by a path longer than 260 characters. */
const LONG = Array.from({ length: 6 }, () => 'l'.repeat(40)).join('/');

/** At this `goto` without a label, where Windows goes on after the bars, Wine's cmd.exe ends the batch file. */
const WINDOWS_GOTO = 'goto #_undefined_# 2>NUL || title %COMSPEC% & ';

/** The batch files that npm makes, by npm's own means. */
async function makeShims(folder: string): Promise<void> {
  const npm = join(execFileSync('npm', ['root', '-g'], { encoding: 'utf8' }).trim(), 'npm/package.json');
  const make = createRequire(npm)('cmd-shim') as (from: string, to: string) => Promise<void>;
  const modules = join(folder, 'node_modules');
  const shim = join(modules, '.bin/tracewright');
  await make(join(modules, 'tracewright/dist/cjs/cli.cjs'), shim);
  const text = readFileSync(`${shim}.cmd`, 'utf8');
  expect(text).toContain(WINDOWS_GOTO);
  writeFileSync(`${shim}.cmd`, text.replace(WINDOWS_GOTO, ''));
}

async function prepare(folder: string): Promise<void> {
  const long = join(folder, LONG);
  for (const part of ['package.json', 'dist/cjs', 'prebuilds']) {
    const path = join('node_modules/tracewright', part);
    cpSync(join(folder, path), join(long, path), { recursive: true });
  }
  const program = `
    import { defineEventSource } from 'tracewright';
    console.log(JSON.stringify(defineEventSource('Long-App', {}).status));`;
  mkdirSync(long, { recursive: true });
  writeFileSync(join(long, 'status.mjs'), program);
  await makeShims(folder);
}

/** The names of the trace's events, each once. */
async function namesIn(trace = ''): Promise<Set<string>> {
  const names = new Set<string>();
  for await (const { name } of await openTrace(Buffer.from(trace, 'base64'))) names.add(name);
  return names;
}

describe.skipIf(skipReason !== undefined)(suiteName('the package in a folder of Windows'), () => {
  let run: ProgramRun<Result>;
  beforeAll(async () => {
    const options = { args: [LONG], folder: FOLDER, prepare, timeout: 240 };
    run = await runProgram<Result>('programs/places.mjs', options);
  }, 300_000);

  it.each([
    ['a URL with a drive letter', 0],
    ['its name', 1],
  ])('observes requests automatically, imported by %s', async (_, index) => {
    const { auto, ends, said, traces } = run.result;
    expect(auto).toMatch(/^file:\/\/\/Z:\/.*%C3%BC%20%E6%BC%A2%E5%AD%97%20b\/node_modules\//);
    expect(ends[index], said[index]).toEqual({ status: 0, stdout: '' });
    const names = await namesIn(traces[index]);
    expect([...names]).toEqual(expect.arrayContaining(['RequestStart', 'RequestStop', 'ClientRequestStop']));
  });

  it('is recorded by another process through a named pipe, and goes on', async () => {
    const { ends, said, server, traces } = run.result;
    expect(ends[2], said[2]).toEqual({ status: 0, stdout: '' });
    expect(await namesIn(traces[2])).toContain('Ping');
    expect(server).toEqual({ status: 0, output: 'ready\n' });
  });

  it('runs its commands by the batch file that npm makes', () => {
    const { status, stdout, stderr } = run.result.shim;
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('by url ä.nettrace: nettrace 4');
    expect(stdout).toContain('ClientRequestStart');
  });

  it('loads its addon from a path longer than 260 characters', () => {
    expect(run.result.longPath).toBeGreaterThan(260);
    expect(run.result.long).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(run.result.long.stdout)).toEqual({ backend: 'etw', problems: [] });
  });
});
