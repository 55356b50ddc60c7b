/** What bundlers and compilers make of one program: its functions have the names, files and lines of their source. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SourceMaps } from '../../lib/symbols/source-maps.ts';
import { named } from '../platforms.ts';
import { installedTools, reasonOf } from './application.ts';

const tools = installedTools({ esbuild: '^0.28.0', webpack: '^5.100.0' });
const compiler = fileURLToPath(new URL('../../node_modules/.bin/tsc', import.meta.url));
const rolldown = fileURLToPath(new URL('../../node_modules/rolldown/dist/index.mjs', import.meta.url));
let folder: string;

/** JavaScript that is TypeScript as well; webpack alone needs a loader for types. */
const SOURCE = `
export function burnProcessor(limit) {
  let total = 0;
  const end = Date.now() + limit;
  while (Date.now() < end) total += Math.sqrt(total + 1);
  return total;
}

export const sumOfPrices = (limit) => {
  let sum = 0;
  const end = Date.now() + limit;
  while (Date.now() < end) sum += Math.cbrt(sum + 2);
  return sum;
};

export class Cart {
  settleAccount(limit) {
    let n = 0;
    const end = Date.now() + limit;
    while (Date.now() < end) n += Math.log(n + 3);
    return n;
  }
}
`;
const MAIN = `
import { burnProcessor, Cart, sumOfPrices } from './cart.EXT';
const results = [burnProcessor, sumOfPrices, (limit) => new Cart().settleAccount(limit)].map((each) => each(150));
console.log(results.length);
`;
const LINES = { burnProcessor: 2, sumOfPrices: 9, settleAccount: 17 };

/** The functions of a program that V8 sampled. */
const PROFILER = `
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.start');
await import(process.argv[2]);
session.post('Profiler.stop', (error, { profile }) => {
  writeFileSync(process.argv[3], JSON.stringify(profile.nodes.map(({ callFrame }) => callFrame)));
});
`;

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
  readonly columnNumber: number;
}

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tracewright-maps-')));
  mkdirSync(join(folder, 'src'));
  for (const extension of ['js', 'ts']) {
    const types = (text: string) =>
      extension === 'ts' ? text.replaceAll(/\(limit\)(?= =>| \{)/g, '(limit: number)') : text;
    writeFileSync(join(folder, `src/cart.${extension}`), types(SOURCE));
    writeFileSync(join(folder, `src/main.${extension}`), types(MAIN.replace('EXT', extension)));
  }
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'profiler.mjs'), PROFILER);
});

afterAll(() => rmSync(folder, { recursive: true }));

function run(program: string): void {
  const path = join(folder, 'build.mjs');
  writeFileSync(path, program);
  execFileSync(process.execPath, [path], { cwd: folder, stdio: 'pipe' });
}

/** `name file:line` of the sampled functions in the sources. */
function namedIn(script: string, maps = new SourceMaps([])): string[] {
  const profile = join(folder, 'profile.json');
  execFileSync(process.execPath, [join(folder, 'profiler.mjs'), join(folder, script), profile]);
  const frames = JSON.parse(readFileSync(profile, 'utf8')) as CallFrame[];
  return frames.flatMap(({ functionName: name, url: file, lineNumber, columnNumber }) => {
    const place = { name, file, line: lineNumber + 1, column: columnNumber + 1 };
    const source = file.endsWith(script) ? maps.sourceOf(place) : undefined;
    return source === undefined ? [] : [`${source.name} ${source.file}:${source.line}`];
  });
}

function expected(file: string): string[] {
  return Object.entries(LINES).map(([name, line]) => `${name} ${file}:${line}`);
}

function esbuild(options: object, outfile: string): void {
  const { folder: installed } = tools as { folder: string };
  const library = join(installed, 'node_modules/esbuild/lib/main.js');
  const all = {
    entryPoints: ['src/main.ts'],
    bundle: true,
    format: 'esm',
    platform: 'node',
    outfile,
    ...options,
  };
  run(`
    import esbuild from ${JSON.stringify(library)};
    await esbuild.build(${JSON.stringify(all)});`);
}

describe.skipIf('reason' in tools)(named('a sampled function in what was made by', reasonOf(tools)), () => {
  it.each([
    ['esbuild --minify --sourcemap', { minify: true, sourcemap: true }],
    ['esbuild --minify --sourcemap=inline', { minify: true, sourcemap: 'inline' }],
    ['esbuild --sourcemap --sources-content=false', { sourcemap: true, sourcesContent: false }],
    [
      'esbuild --minify, without the text of the sources',
      { minify: true, sourcemap: true, sourcesContent: false },
    ],
  ])('%s is that of the source', (name, options) => {
    const script = `esbuild-${name.replaceAll(/\W/g, '')}.mjs`;
    esbuild(options, script);
    expect(namedIn(script)).toEqual(expect.arrayContaining(expected(join(folder, 'src/cart.ts'))));
  });

  it('esbuild --sourcemap=external is that of the source if the map is in a folder of the user', () => {
    esbuild({ minify: true, sourcemap: 'external' }, 'dist/hidden.mjs');
    mkdirSync(join(folder, 'maps/dist'), { recursive: true });
    const map = join(folder, 'dist/hidden.mjs.map');
    writeFileSync(join(folder, 'maps/dist/hidden.mjs.map'), readFileSync(map));
    rmSync(map);
    expect(namedIn('dist/hidden.mjs')).toEqual([]);
    const maps = new SourceMaps([join(folder, 'maps')]);
    expect(namedIn('dist/hidden.mjs', maps)).toEqual(
      expect.arrayContaining(expected(join(folder, 'src/cart.ts'))),
    );
  });

  it('webpack in production mode is that of the source', () => {
    const { folder: installed } = tools as { folder: string };
    const library = join(installed, 'node_modules/webpack/lib/index.js');
    const configuration = {
      mode: 'production',
      devtool: 'source-map',
      target: 'node20',
      context: folder,
      entry: './src/main.js',
      output: { path: join(folder, 'webpack'), filename: 'bundle.cjs' },
    };
    run(`
      import webpack from ${JSON.stringify(library)};
      await new Promise((resolve, reject) => webpack(${JSON.stringify(configuration)}, (error, stats) =>
        error ?? stats.hasErrors() ? reject(error ?? stats.toString()) : resolve()));`);
    expect(namedIn('webpack/bundle.cjs')).toEqual(expect.arrayContaining(expected('src/cart.js')));
  });

  it('rolldown, minified, is that of the source', () => {
    run(`
      import { build } from ${JSON.stringify(rolldown)};
      await build({ input: 'src/main.ts', platform: 'node', output: {
        file: 'rolldown/bundle.mjs', format: 'esm', minify: true, sourcemap: true } });`);
    expect(namedIn('rolldown/bundle.mjs')).toEqual(
      expect.arrayContaining(expected(join(folder, 'src/cart.ts'))),
    );
  });

  it('TypeScript is that of the source', () => {
    const options = ['--outDir', 'out', '--sourceMap', '--module', 'nodenext', '--target', 'es2022'];
    const rewriting = ['--rewriteRelativeImportExtensions', '--types', '', 'src/main.ts'];
    execFileSync(compiler, ['--ignoreConfig', ...options, ...rewriting], { cwd: folder, stdio: 'pipe' });
    writeFileSync(join(folder, 'out/package.json'), '{"type":"module"}');
    const maps = new SourceMaps([]);
    const profile = join(folder, 'profile.json');
    execFileSync(process.execPath, [join(folder, 'profiler.mjs'), join(folder, 'out/main.js'), profile]);
    const frames = JSON.parse(readFileSync(profile, 'utf8')) as CallFrame[];
    const found = frames.map(({ functionName: name, url: file, lineNumber, columnNumber }) =>
      maps.sourceOf({ name, file, line: lineNumber + 1, column: columnNumber + 1 }),
    );
    const texts = found.map((source) => source && `${source.name} ${source.file}:${source.line}`);
    expect(texts).toEqual(expect.arrayContaining(expected(join(folder, 'src/cart.ts'))));
  });
});
