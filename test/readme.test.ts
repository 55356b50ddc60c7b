/**
 * README.md, run: its first example does what it says, its other examples are one program that works, and
 * every block of code is at least a program.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

interface Block {
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

const blocks: readonly Block[] = [...readme.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
  language: match[1] ?? '',
  code: match[2] ?? '',
  line: readme.slice(0, match.index).split('\n').length,
}));
const [firstExample = '', ...otherExamples] = blocksOf('js').map((block) => block.code);
const [firstOutput = ''] = blocksOf('text').map((block) => block.code);

function blocksOf(language: string): readonly Block[] {
  return blocks.filter((block) => block.language === language);
}

/** The code, followed by listeners to all events of the sources that it defines: somebody wants them. */
function withListeners(code: string): string {
  const sources = [...code.matchAll(/^const (\w+) = defineEventSource/gm)].map(([, name]) => name);
  return code + sources.map((name) => `listen(${name}, () => {});\n`).join('');
}

/** From stdin, so that `tracewright` is the package of the working directory: this one, as it was built. */
function nodeWithModule(...args: string[]): [string, string[], { cwd: string }] {
  return [process.execPath, ['--input-type=module', '-', ...args], { cwd: root }];
}

/** The first lines that the module prints. It is then ended: it runs for ever. */
async function firstLines(code: string, count: number, ...args: string[]): Promise<string[]> {
  const child = spawn(...nodeWithModule(...args));
  child.stdin.end(code);
  child.stderr.pipe(process.stderr);
  const lines: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (lines.length === count) break;
  }
  child.kill();
  return lines;
}

describe('the README', () => {
  test('has a first example that says where its events go, and then prints what the README shows', async () => {
    const shown = firstOutput.trimEnd().split('\n');
    const [status, ...events] = await firstLines(firstExample, shown.length + 1, '--listen');
    expect(status).toMatch(/^(user_events MyCompany_MyService_L4K0 MyCompany_MyService_L5K0|none \S.*\.)$/);
    expect(shown.length).toBeGreaterThanOrEqual(4);
    expect(events).toEqual(shown);
  }, 30_000);

  test('has other examples that run one after the other, with no event lost and no bad value', () => {
    const check = 'console.log(JSON.stringify([shop.stats(), files.stats(), events.length]));';
    const [program, args, options] = nodeWithModule();
    const input = [...otherExamples.map(withListeners), check].join('\n');
    const result = spawnSync(program, args, { ...options, encoding: 'utf8', input });
    expect(result.stderr).toBe('');
    expect(result.status).toBe(0);
    const [shop, files, heard] = JSON.parse(result.stdout.trimEnd().split('\n').at(-1) ?? '');
    expect(shop).toMatchObject({ dropped: {}, badValues: 0 });
    expect(files).toMatchObject({ dropped: {}, badValues: 0 });
    expect(heard).toBe(1);
  }, 30_000);

  for (const { code, line } of blocksOf('sh')) {
    test(`has a shell block in line ${line} that a shell can read`, () => {
      expect(spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' })).toMatchObject({
        status: 0,
        stderr: '',
      });
    });
  }

  test('has code in no language that this test does not check', () => {
    expect(new Set(blocks.map((block) => block.language))).toEqual(new Set(['sh', 'js', 'text']));
  });

  test('names scripts that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    for (const [, name = ''] of readme.matchAll(/npm run ([\w:]+)/g)) expect(scripts).toHaveProperty([name]);
  });

  test('links to files that are there, and to its own headings', () => {
    const headings = [...readme.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(' ', '-')
        .replaceAll(/[^\w-]/g, ''),
    );
    for (const [, target = ''] of readme.matchAll(/\]\(([^)]+)\)/g)) {
      if (target.startsWith('https:')) continue;
      if (target.startsWith('#')) expect(headings).toContain(target.slice(1));
      else expect([target, existsSync(join(root, target))]).toEqual([target, true]);
    }
  });
});
