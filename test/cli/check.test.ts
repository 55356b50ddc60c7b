/** `tracewright check` as continuous integration runs it: on the built package and recordings of a real program. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { itEach } from '../at-length.ts';

const main = fileURLToPath(new URL('../../dist/cjs/cli.cjs', import.meta.url));
const program = fileURLToPath(new URL('programs/serves-badly.mjs', import.meta.url));
const auto = new URL('../../dist/cjs/auto.cjs', import.meta.url).href;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-check-'));
const [good, blind] = ['good', 'blind'].map((name) => join(folder, `${name}.nettrace`)) as [string, string];
afterAll(() => rmSync(folder, { recursive: true }));

/** Where `npm test` runs: its recording is one file of npm and one of the program. */
const tests = join(folder, 'tests');
mkdirSync(tests);

function tracewright(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: tests,
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

const HOLDS = { status: 0, stdout: 'All rules hold.\n', stderr: '' };

describe('a recording of the tests', () => {
  beforeAll(() => {
    const scripts = { test: `"${process.execPath}" --import ${auto} "${program}" bad` };
    writeFileSync(join(tests, 'package.json'), JSON.stringify({ scripts }));
    const record = (...args: string[]) =>
      expect(tracewright('collect', ...args)).toMatchObject({ status: 0 });
    const app = ['--', process.execPath, '--import', auto, program, 'good'];
    record('-o', good, ...app);
    record('-o', blind, '--provider', 'Node.Http', ...app);
    record('--', 'npm', 'test');
  }, 120_000);

  it.each([
    ['--max-block 250ms', /^GET \/export .*blocked the event loop for [\d,]+ ms at .* beyond 250 ms\.$/],
    ['--max max:*/export=250ms', /^10 of 10 GET \S*\/export took longer than 250 ms, .*\(--max max:.*\)\.$/],
    [
      '--no-repeated-queries 6',
      /^GET \/cart repeats GET \S+\/item\/:id up to 6 times, in 10 of 10 activities; fewer/,
    ],
    ['--no-failures', /10 of 10 GET \/pay failed/],
  ])('breaks %s', (rule, sentence) => {
    const { status, stdout } = tracewright('check', ...rule.split(' '));
    expect({ status, lines: stdout.trimEnd().split('\n').length }).toEqual({ status: 1, lines: 1 });
    expect(stdout.trimEnd()).toMatch(sentence);
  });

  it('holds where nothing is wrong', () => {
    const rules = [
      '--max-block',
      '10s',
      '--max',
      'p99:Request=10s',
      '--no-repeated-queries',
      '6',
      '--no-failures',
    ];
    expect(tracewright('check', good, ...rules)).toEqual(HOLDS);
    expect(tracewright('check', good, '--against', good)).toEqual(HOLDS);
  });

  it('is compared with a saved run', () => {
    const { status, stdout } = tracewright('check', '--against', good);
    expect(status).toBe(1);
    expect(stdout).toMatch(/^GET \/export became slower: p50 /m);
    expect(stdout).toMatch(/^GET \/pay fails more often: 100 % instead of 0 %/m);
    expect(stdout).not.toMatch(/is new|more frequent|faster/);
  });

  it('is checked by the rules in a file, whose paths begin beside it', () => {
    const rules = join(folder, 'rules.json');
    writeFileSync(
      rules,
      JSON.stringify({ max: 'max:GET /export=10s', 'no-failures': true, against: 'good.nettrace' }),
    );
    const { status, stdout } = tracewright('check', '--rules', rules, '--max', 'max:*/export=250ms');
    expect(status).toBe(1);
    for (const found of [/took longer than 250 ms/, /\/pay failed/, /became slower/])
      expect(stdout).toMatch(found);
  });

  it('is checked by rules that an editor or a shell of Windows wrote', () => {
    const rules = join(folder, 'windows-rules.json');
    const text = '\ufeff{\r\n  "no-failures": true\r\n}\r\n';
    for (const encoding of ['utf8', 'utf16le'] as const) {
      writeFileSync(rules, Buffer.from(text, encoding));
      expect(tracewright('check', good, '--rules', rules)).toEqual(HOLDS);
    }
  });

  itEach<[string, string]>(1, [
    ['--max-block 50ms', 'does not say what the threads of Node.js ran'],
    ['--max p99:Nothing=1s', 'no such activity'],
    ['--against none.nettrace', 'There is no file "none.nettrace"'],
  ])('never passes by %s if it lacks what that needs', (rule, reason) => {
    const { status, stdout, stderr } = tracewright('check', blind, ...rule.split(' '));
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
    expect(stderr).toContain(reason);
  });

  it('never passes if it is cut', () => {
    const cut = join(folder, 'cut.nettrace');
    const bytes = readFileSync(good);
    writeFileSync(cut, bytes.subarray(0, bytes.length / 2));
    expect(tracewright('check', cut, '--no-failures')).toMatchObject({ status: 2, stdout: '' });
    expect(tracewright('check', 'none.nettrace', '--no-failures')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('There is no file "none.nettrace".'),
    });
  });
});

describe('a rule', () => {
  itEach<[string[], string]>(2, [
    [[], 'check takes at least one rule'],
    [['--max', 'p98:Request=1s'], '--max takes p50, p90, p95, p99, max of a name or route'],
    [['--max', 'p99:Request=soon'], '--max takes a duration such as 10s or 500ms, not "soon".'],
    [['--max-block', '-1'], '--max-block'],
    [['--no-repeated-queries', '1'], '--no-repeated-queries takes a number of at least 2, not "1".'],
    [['--rules', 'no-rules.json'], 'The file of rules "no-rules.json" cannot be read (ENOENT).'],
  ])('that is no rule is a usage error: %s', (args, reason) => {
    expect(tracewright('check', 'any.nettrace', ...args)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(reason),
    });
  });

  itEach<[string, string]>(1, [
    ['{', 'is not JSON'],
    ['[]', 'must be an object'],
    ['{"max-blok": "1s"}', 'has "max-blok", which is none of max-block, max'],
    ['{"no-failures": "yes"}', 'has "yes" for "no-failures"'],
    ['{"max-block": ["1s"]}', 'has ["1s"] for "max-block"'],
  ])('in a file is checked, too: %s', (text, reason) => {
    writeFileSync(join(tests, 'wrong.json'), text);
    expect(tracewright('check', 'any.nettrace', '--rules', 'wrong.json')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(reason),
    });
  });
});
