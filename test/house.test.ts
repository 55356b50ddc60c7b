/** The architecture rules that can be checked: the direction of imports, and what the package contains and runs. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const packageFolder = fileURLToPath(new URL('..', import.meta.url));
const libFolder = join(packageFolder, 'lib');

/**
 * The folders of lib/, low to high, as ARCHITECTURE.md draws them: a file imports from its own folder and from lower
 * floors. Folders of one floor do not know each other.
 */
const [, drawing = ''] =
  /^```text\n(.*?)^```$/ms.exec(readFileSync(join(packageFolder, 'ARCHITECTURE.md'), 'utf8')) ?? [];
const FLOORS = Array.from(drawing.matchAll(/^(?:\w+\/ *)+/gm), ([names]) =>
  Array.from(names.matchAll(/\w+/g), ([name]) => name),
).reverse();
const WRITE_ROAD = [
  'platform',
  'listen',
  'record',
  'eventpipe',
  'flight',
  'source',
  'counters',
  'logs',
  'runtime',
  'integrations',
  'diagnostics',
  'auto',
];
const READ_ROAD = ['symbols', 'trace', 'playback', 'view', 'export', 'query', 'analysis'];

/** May import everything, and is imported by nobody. */
const INDEX = 'index.ts';

interface Import {
  /** Of the importing file, from the package folder. */
  readonly file: string;
  /** The folders of lib/ on either side. */
  readonly from: string;
  readonly to: string;
  /** The imported file, absolute. */
  readonly target: string;
}

/** A file's path from a folder, with the same separators on every system. */
const pathFrom = (folder: string, path: string) => relative(folder, path).replaceAll(sep, '/');

function filesUnder(folder: string, skipped: readonly string[] = []): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (skipped.includes(pathFrom(packageFolder, path))) return [];
    return entry.isDirectory() ? filesUnder(path, skipped) : entry.isFile() ? [path] : [];
  });
}

const roomOf = (path: string) => pathFrom(libFolder, path).split('/')[0] ?? '';

/** Imports and re-exports, `import()` and type imports among them, between files of lib/. */
function importsOf(path: string): Import[] {
  const statements = readFileSync(path, 'utf8').matchAll(
    /(?:\bfrom|\bimport)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g,
  );
  return Array.from(statements, ([, specifier = '']) => {
    const target = join(dirname(path), specifier);
    return { file: pathFrom(packageFolder, path), from: roomOf(path), to: roomOf(target), target };
  });
}

/** The files of each circle of imports found by walking from every file, in the order of the imports. */
function circlesIn(graph: ReadonlyMap<string, readonly string[]>): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string) => {
    const at = path.indexOf(file);
    if (at >= 0) circles.push([...path.slice(at), file]);
    if (at >= 0 || done.has(file)) return;
    path.push(file);
    for (const target of graph.get(file) ?? []) visit(target);
    path.pop();
    done.add(file);
  };
  for (const file of graph.keys()) visit(file);
  return circles;
}

const libFiles = filesUnder(libFolder).filter((path) => /\.[cm]?ts$/.test(path));
const importsByFile = new Map(libFiles.map((path) => [path, importsOf(path)]));
const imports = [...importsByFile.values()].flat().filter(({ from, to }) => from !== to);
const floorOf = (room: string) => FLOORS.findIndex((rooms) => rooms.includes(room));
const shown = ({ file, to }: Import) => `${file} imports from ${to}`;

describe('an import in lib/', () => {
  it('is found by this test', () => {
    expect(imports.map(shown)).toContain('lib/source/event-writer.ts imports from wire');
    expect(imports.map(shown)).toContain('lib/index.ts imports from source');
  });

  it('is from and to a folder with a floor', () => {
    expect(FLOORS[0]).toEqual(['base']);
    const rooms = new Set(libFiles.map(roomOf));
    rooms.delete(INDEX);
    expect([...rooms].filter((room) => floorOf(room) < 0)).toEqual([]);
  });

  it('never points from a lower floor to a higher one, nor to another folder on its own', () => {
    const upward = imports.filter(({ from, to }) => from !== INDEX && floorOf(from) <= floorOf(to));
    expect(upward.map(shown)).toEqual([]);
  });

  it('never points to the index', () => {
    expect(imports.filter(({ to }) => to === INDEX).map(shown)).toEqual([]);
  });

  it('never points from the reading half to the writing half', () => {
    const crossing = imports.filter(({ from, to }) => READ_ROAD.includes(from) && WRITE_ROAD.includes(to));
    expect(crossing.map(shown)).toEqual([]);
  });
});

describe('the files of lib/', () => {
  it('do not import each other in a circle, including their types', () => {
    const graph = new Map(
      Array.from(importsByFile, ([path, all]) => [path, all.map(({ target }) => target)] as const),
    );
    const circles = circlesIn(graph).map((files) =>
      files.map((path) => pathFrom(libFolder, path)).join(' -> '),
    );
    expect(circles).toEqual([]);
  });

  it('would be found in a circle of any length', () => {
    const graph = new Map([
      ['a', ['b']],
      ['b', ['c', 'd']],
      ['c', ['d']],
      ['d', ['b']],
      ['e', ['e', 'a']],
    ]);
    expect(circlesIn(graph)).toEqual([
      ['b', 'c', 'd', 'b'],
      ['e', 'e'],
    ]);
  });
});

describe('the package', () => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
    readonly files: readonly string[];
    readonly gypfile: boolean;
  };

  it('runs nothing on installation, nor anything that npm would run by itself for a binding.gyp', () => {
    const scripts = [
      'preinstall',
      'install',
      'postinstall',
      'prepublish',
      'preprepare',
      'prepare',
      'postprepare',
    ];
    expect(Object.keys(manifest.scripts).filter((name) => scripts.includes(name))).toEqual([]);
    expect(manifest.gypfile).toBe(false);
  });

  it('contains what runs and its native sources, and nothing for which npm or pnpm would build by itself', () => {
    expect(manifest.files).toEqual([
      'CMakeLists.txt',
      'dist/cjs',
      'dist/esm',
      'dist/report',
      'dist/types',
      'dist/windows-providers.br',
      'docs',
      '!docs/images',
      'native',
      '!native/windows/README.md',
      'prebuilds',
      'scripts/windows/delay_load_hook.cc',
    ]);
    expect(manifest.files.filter((path) => /binding\.gyp|\*/.test(path))).toEqual([]);
  });
});

describe('the sources', () => {
  it('depend on nothing next to the package', () => {
    // Put together, or this file would be one that names it.
    const beside = ['..', 'shared', ''].join('/');
    const skipped = ['.git', 'node_modules', 'dist', 'build', 'prebuilds', 'coverage', '.ci/run'];
    const naming = filesUnder(packageFolder, skipped).filter((path) =>
      readFileSync(path, 'utf8').includes(beside),
    );
    expect(naming.map((path) => pathFrom(packageFolder, path))).toEqual([]);
  });
});

describe('an export of lib/', () => {
  const scripts = filesUnder(join(packageFolder, 'scripts'));
  const tests = filesUnder(join(packageFolder, 'test'));
  const others = [...tests, ...scripts].filter((path) => /\.[cm]?[jt]s$/.test(path));
  /** The texts of the files that import each file, also as tests of the built package do. */
  const importers = new Map<string, string[]>();
  for (const path of [...libFiles, ...others]) {
    const text = readFileSync(path, 'utf8');
    for (const [, specifier = ''] of text.matchAll(/['"](\.{1,2}\/[^'"]+\.[jt]s)['"]/g)) {
      const source = join(dirname(path), specifier)
        .replace(`${join(packageFolder, 'dist')}${sep}`, `${libFolder}${sep}`)
        .replace(/\.js$/, '.ts');
      importers.set(source, [...(importers.get(source) ?? []), text]);
    }
  }
  const entries = new Set(
    Array.from(
      readFileSync(join(packageFolder, 'scripts/lib/entries.mjs'), 'utf8').matchAll(/'([\w/-]+)'/g),
      ([, name]) => join(libFolder, `${name}.ts`),
    ),
  );

  it('is what another file imports', () => {
    const exported = /^export (?:abstract |async )*(?:const|let|function\*?|class|interface|type) (\w+)/gm;
    const unused = libFiles
      .filter((path) => !entries.has(path))
      .flatMap((path) =>
        Array.from(readFileSync(path, 'utf8').matchAll(exported), ([, name = '']) => name)
          .filter((name) => !importers.get(path)?.some((text) => new RegExp(`\\b${name}\\b`).test(text)))
          .map((name) => `${relative(packageFolder, path)}: ${name}`),
      );
    expect(unused).toEqual([]);
  });
});

describe('a class', () => {
  it('hides its members by #, and by `private` only its constructor, which has no other way', () => {
    const sources = [
      ...libFiles,
      ...filesUnder(join(packageFolder, 'test')).filter((path) => /\.[cm]?ts$/.test(path)),
    ];
    const hidden = /^ *(?:(?:static|override|readonly|abstract|async) )*private (?!constructor\b).*/gm;
    const found = sources.flatMap((path) =>
      Array.from(
        readFileSync(path, 'utf8').matchAll(hidden),
        ([line]) => `${relative(packageFolder, path)}: ${line}`,
      ),
    );
    expect('  private count = 0;\n  private constructor() {'.match(hidden)).toEqual(['  private count = 0;']);
    expect(found).toEqual([]);
  });
});

describe('an error class of lib/', () => {
  const text = libFiles.map((path) => readFileSync(path, 'utf8')).join('\n');
  const classes = Array.from(
    text.matchAll(
      /^(?:export )?(?:abstract )?class (\w+) extends (\w*Error)\b.*\{\n((?:(?! {2}constructor|\}).*\n)*)/gm,
    ),
    ([, name = '', , members = '']) => ({ name, members }),
  );
  const isCaught = (name: string) => new RegExp(`instanceof ${name}\\b`).test(text);
  const reports = join(packageFolder, 'test/api');
  const api = readdirSync(reports)
    .map((report) => readFileSync(join(reports, report), 'utf8'))
    .join('\n');

  it('is found by this test', () => {
    expect(classes.map(({ name }) => name)).toContain('TraceError');
    expect(classes.length).toBeGreaterThan(10);
  });

  it('is named as one, and its errors are', () => {
    const others = classes.filter(
      ({ name, members }) =>
        !/Error$/.test(name) || !new RegExp(`name(?:: string)? = '${name}'`).test(members),
    );
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  it('is caught by its class, or is public', () => {
    const unused = classes.filter(({ name }) => !isCaught(name) && !api.includes(`export class ${name} `));
    expect(unused.map(({ name }) => name)).toEqual([]);
  });
});

describe('the root folder', () => {
  it('has what belongs there, and nothing that a test or a tool has left', () => {
    const made = ['node_modules', 'dist', 'build', 'packed', 'prebuilds', 'coverage'];
    // What begins with a dot may belong to an editor.
    const found = readdirSync(packageFolder).filter((name) => !/^\.|\.(?:tgz|tsbuildinfo)$/.test(name));
    expect(found.filter((name) => !made.includes(name)).sort()).toEqual([
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'CMakeLists.txt',
      'CONTRIBUTING.md',
      'LICENSE',
      'README.md',
      'SECURITY.md',
      'binding.gyp',
      'biome.json',
      'docs',
      'lib',
      'native',
      'package-lock.json',
      'package.json',
      'scripts',
      'test',
      'tsconfig.build.json',
      'tsconfig.json',
      'vitest.config.ts',
    ]);
  });
});

/** The files that a line of ARCHITECTURE.md names: short names are beside the last file with a folder. */
function filesNamedIn(line: string): string[] {
  let folder = '.';
  return Array.from(line.matchAll(/`(\w[\w./-]*\.(?:ts|cc|mjs))`/g), ([, name = '']) => {
    if (name.includes('/')) folder = dirname(name);
    return name.includes('/') ? name : join(folder, name);
  });
}

describe('ARCHITECTURE.md', () => {
  it('names existing files', () => {
    const named = readFileSync(join(packageFolder, 'ARCHITECTURE.md'), 'utf8')
      .split('\n')
      .flatMap(filesNamedIn);
    expect(named).toContain('lib/activity/tracker.ts');
    expect(named.filter((file) => !existsSync(join(packageFolder, file)))).toEqual([]);
  });
});

/** The first sentences of the doc comments in a file. */
function firstSentences(path: string): string[] {
  const comments = readFileSync(path, 'utf8').matchAll(/\/\*\*([\s\S]*?)\*\//g);
  return Array.from(comments, ([, text = '']) => {
    const [sentence = ''] = text
      .replaceAll(/\n\s*\*/g, ' ')
      .trim()
      .split(/(?<=[.:;])\s/);
    return sentence;
  });
}

/** A preposition and no main clause after it, or a reference to another comment in place of a subject. */
const FRAGMENT =
  /^(?:(?:Of|By|In|For|From|With|Without|As|Since|Until|Unless|At|Above|Below|Before)\b[^,]*$|The same(?: for| as|[.,])|This and the\b|(?:Also|And|Or|Per)\b|(?:Undefined|Empty|Absent)(?: if| for| until|[.:;])|Lower[ -]case|Such as\b|(?:Larger|Longer) than\b|(?:When|If)\b[^,]*$)/;

describe('a doc comment in lib/', () => {
  it('begins with a sentence, not with a fragment', () => {
    expect(['Of a page.', 'By type.', 'The same for text.'].filter((text) => !FRAGMENT.test(text))).toEqual(
      [],
    );
    expect(
      ['In version 6, it is a list.', 'The same stacks come again.'].filter((text) => FRAGMENT.test(text)),
    ).toEqual([]);
    const fragments = libFiles.flatMap((path) =>
      firstSentences(path)
        .filter((text) => FRAGMENT.test(text))
        .map((text) => `${pathFrom(packageFolder, path)}: ${text}`),
    );
    expect(fragments).toEqual([]);
  });
});
