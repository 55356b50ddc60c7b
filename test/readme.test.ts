/**
 * Runs the README and the guides: the README's first example does what it says, the guides' examples form one working
 * program, and every other code block is at least valid.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, test } from 'vitest';
import { named } from './platforms.ts';

const root = join(import.meta.dirname, '..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const readme = textOf('README.md');
/** Whose examples are one program, in this order. */
const GUIDES = [
  'docs/writing-events.md',
  'docs/activities.md',
  'docs/listening.md',
  'docs/reading-traces.md',
];
const DOCUMENTS = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md', 'SECURITY.md'],
  ...readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

interface Block {
  readonly file: string;
  readonly language: string;
  readonly code: string;
  readonly line: number;
}

const blocks: readonly Block[] = ['README.md', ...GUIDES].flatMap((file) => {
  const text = textOf(file);
  return [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].map((match) => ({
    file,
    language: match[1] ?? '',
    code: match[2] ?? '',
    line: text.slice(0, match.index).split('\n').length,
  }));
});
const [firstExample = '', ...otherExamples] = blocksOf('js').map((block) => block.code);
const firstOutput = blocksOf('text').find(({ code }) => code.startsWith('RequestStart'))?.code ?? '';

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

test('the contents list every section', () => {
  const listed = /^Contents: (.*)$/m.exec(readme)?.[1]?.split(' · ');
  const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, title = '']) => {
    const anchor = title
      .toLowerCase()
      .replaceAll(/[^\w -]/g, '')
      .replaceAll(' ', '-');
    return `[${title}](#${anchor})`;
  });
  expect(listed).toEqual(sections);
});

test('the costs in the README are those of docs/performance.md', () => {
  const [, table = ''] = /write-document\.mjs -->\n(.*?)<!-- end of figures/s.exec(readme) ?? [];
  const rows = [...table.matchAll(/^\| [^|]+ \| +([\d.]+) \| .*: ([\d.]+) \|$/gm)];
  const measured = new Set(textOf('docs/performance.md').split(' '));
  expect(rows).toHaveLength(5);
  expect(rows.flatMap(([, ...figures]) => figures).filter((figure) => !measured.has(figure))).toEqual([]);
});

describe('the README and its guides', () => {
  test('have a first example that says where its events go, and then prints what the README shows', async () => {
    const shown = firstOutput.trimEnd().split('\n');
    const [status, ...events] = await firstLines(firstExample, shown.length + 1, '--listen');
    expect(status).toMatch(
      /^((user_events|etw) MyCompany_MyService_L4K0 MyCompany_MyService_L5K0|none \S.*\.)$/,
    );
    expect(shown.length).toBeGreaterThanOrEqual(4);
    expect(events).toEqual(shown);
  }, 30_000);

  test('have other examples that run in sequence, without lost events or bad values', () => {
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

  const noShell = spawnSync('sh', ['-c', ':']).error === undefined ? undefined : 'there is no sh';
  for (const { file, code, line } of blocksOf('sh')) {
    test.skipIf(noShell !== undefined)(
      named(`have a shell block in line ${line} of ${file} that a shell can read`, noShell),
      () => {
        expect(spawnSync('sh', ['-n'], { input: code, encoding: 'utf8' })).toMatchObject({
          status: 0,
          stderr: '',
        });
      },
    );
  }

  test('have no code in a language that this test does not check', () => {
    expect(new Set(blocks.map((block) => block.language))).toEqual(new Set(['sh', 'js', 'text']));
  });

  test('name only scripts in package.json', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    for (const [, name = ''] of textOf('CONTRIBUTING.md').matchAll(/npm run ([\w:]+)/g)) {
      expect(scripts).toHaveProperty([name]);
    }
  });
});

/** As GitHub makes them of headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) =>
    title
      .toLowerCase()
      .replaceAll(' ', '-')
      .replaceAll(/[^\w-]/g, ''),
  );

test.each(DOCUMENTS)('%s links to existing files and headings', (file) => {
  for (const [, target = ''] of textOf(file).matchAll(/\]\(([^)\s]+)\)/g)) {
    if (target.startsWith('https:')) continue;
    const [path = '', anchor] = target.split('#');
    const linked = path === '' ? file : join(dirname(file), path);
    expect([target, existsSync(join(root, linked))]).toEqual([target, true]);
    if (anchor !== undefined) expect(anchorsOf(textOf(linked)), target).toContain(anchor);
  }
});
