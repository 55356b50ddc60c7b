import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SourceMaps } from '../../lib/symbols/source-maps.ts';
import type { CodeMappings } from '../../lib/trace/code-mappings.ts';
import type { TraceEvent } from '../../lib/trace/trace-event.ts';
import { FrameNames } from '../../lib/view/cpu/frame-names.ts';
import { missingOnWindows, named } from '../platforms.ts';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'source-maps-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, content: string) => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), content);
};
/** `function t(){}` is `export function total() {}` in line 2 of its source. */
const MAP = {
  version: 3,
  sources: ['../src/cart.ts'],
  sourcesContent: ['// A cart.\nexport function total() {}\n'],
  names: [],
  mappings: 'AACO,SAAS',
};
const SCRIPT = 'function t(){}';
const place = (file = join(root, 'dist/app.js')) => ({ name: 't', file, line: 1, column: 11 });
const SOURCE = () => ({ name: 'total', file: join(root, 'src/cart.ts'), line: 2, column: 17 });

describe('the source of a function', () => {
  it.each([
    ['beside the script', 'app.js.map', ''],
    ['where the script says', 'maps/app.map', '\n//# sourceMappingURL=maps/app.map\n'],
    ['where an old script says', 'app.map', '\n//@ sourceMappingURL=app.map'],
  ])('is found by the map %s', (_, map, comment) => {
    const sources = map.startsWith('maps/') ? ['../../src/cart.ts'] : MAP.sources;
    write(`dist/${map}`, JSON.stringify({ ...MAP, sources }));
    write('dist/app.js', SCRIPT + comment);
    expect(new SourceMaps([]).sourceOf(place())).toEqual(SOURCE());
  });

  it.each([
    ['in base64', `data:application/json;base64,${Buffer.from(JSON.stringify(MAP)).toString('base64')}`],
    [
      'in base64 with a character set',
      `data:application/json;charset=utf-8;base64,${btoa(JSON.stringify(MAP))}`,
    ],
    ['in percent-encoding', `data:application/json,${encodeURIComponent(JSON.stringify(MAP))}`],
  ])('is found by the map in the script, %s', (_, url) => {
    write('dist/app.js', `${SCRIPT}\n//# sourceMappingURL=${url}\n`);
    expect(new SourceMaps([]).sourceOf(place())).toEqual(SOURCE());
  });

  it('is found by a map in a folder of the user, under any part of the path of a script that is elsewhere', () => {
    for (const [index, path] of ['app.js.map', 'dist/app.js.map', 'srv/shop/dist/app.js.map'].entries()) {
      write(`${index}/${path}`, JSON.stringify(MAP));
      const maps = new SourceMaps([join(root, 'none'), join(root, `${index}`)]);
      expect(maps.sourceOf(place('file:///srv/shop/dist/app.js'))).toMatchObject({
        name: 'total',
        file: '/srv/shop/src/cart.ts',
      });
    }
  });

  it('is found in a map of sections, and by the names of bundlers', () => {
    const map = { ...MAP, sources: ['webpack://shop/./src/cart.ts?1f2e'] };
    write(
      'dist/app.js.map',
      JSON.stringify({ version: 3, sections: [{ offset: { line: 0, column: 0 }, map }] }),
    );
    expect(new SourceMaps([]).sourceOf(place())).toMatchObject({ name: 'total', file: 'src/cart.ts' });
  });

  it('is found in each of several sections, whose sources have the same name', () => {
    const second = { ...MAP, sourcesContent: ['\n\nfunction other() {}\n'], mappings: 'AAEA,SAAS' };
    const sections = [
      { offset: { line: 0, column: 0 }, map: MAP },
      { offset: { line: 1, column: 4 }, map: second },
    ];
    write('dist/app.js.map', JSON.stringify({ version: 3, sections }));
    const maps = new SourceMaps([]);
    expect(maps.sourceOf({ ...place(), name: '', column: 10 })).toEqual(SOURCE());
    const other = maps.sourceOf({ ...place(), name: '', line: 2, column: 14 });
    expect(other).toMatchObject({ name: 'other', line: 3, column: 10 });
  });

  it.each([
    ['/srv/shop', '../src/cart.ts', '/srv/src/cart.ts'],
    ['webpack://shop/', './src/cart.ts', 'src/cart.ts'],
    ['file:///srv/shop/dist', '../cart.ts', '/srv/shop/cart.ts'],
  ])('is below the root of the sources that its map has: %s', (sourceRoot, source, file) => {
    write('dist/app.js.map', JSON.stringify({ ...MAP, sourceRoot, sources: [source] }));
    expect(new SourceMaps([]).sourceOf(place())).toMatchObject({ file });
  });

  it('has no name that belongs to another mapping', () => {
    write('dist/app.js', SCRIPT);
    write('dist/app.js.map', JSON.stringify({ ...MAP, sourcesContent: [], names: ['no'] }));
    expect(new SourceMaps([]).sourceOf(place())).toMatchObject({ name: 't', line: 2 });
  });

  it.each([
    ['is no JSON', '<html>'],
    ['has other types', '{"version":3,"sources":7,"names":null,"mappings":{}}'],
    ['is of another version', '{"version":2}'],
    ['has no source for it', JSON.stringify({ ...MAP, mappings: ';;AAAA' })],
    ['is null', 'null'],
    ['has another character in its mappings', JSON.stringify({ ...MAP, mappings: 'AACO,SAAS,!' })],
    ['has an empty mapping', JSON.stringify({ ...MAP, mappings: 'AACO,,SAAS' })],
    ['has a source that is none', JSON.stringify({ ...MAP, sources: [null] })],
    ['names no source that it has', JSON.stringify({ ...MAP, mappings: 'AECO,SAAS' })],
    ['has a line before the first', JSON.stringify({ ...MAP, mappings: 'AADO,SAAS' })],
    ['has the place only in an earlier line', JSON.stringify({ ...MAP, mappings: 'AACO;' }), 2],
    ['ends before the place', JSON.stringify({ ...MAP, mappings: 'AACO,S' })],
    ['has a section that begins nowhere', JSON.stringify({ sections: [{ offset: { line: -1 }, map: MAP }] })],
    ['has a section without a map', JSON.stringify({ sections: [{ offset: { line: 0, column: 0 } }] })],
    [
      'has more mappings than memory is spent on',
      JSON.stringify({ ...MAP, mappings: `AACO,SAAS${',G'.repeat(9e6)}` }),
    ],
    ['has sections that are none', JSON.stringify({ sections: 'AACO' })],
  ])('is unknown if the map %s', (_, text, line = 1) => {
    write('dist/app.js', `${SCRIPT}\n`.repeat(line));
    write('dist/app.js.map', text);
    expect(new SourceMaps([]).sourceOf({ ...place(), line })).toBeUndefined();
  });

  it('is not looked for on a network, in another scheme or outside of the folder', () => {
    write('app.map', JSON.stringify(MAP));
    for (const url of ['http://127.0.0.1:1/app.map', '//host/app.map', join(root, 'app.map'), '../app.map']) {
      write('dist/app.js', `${SCRIPT}\n//# sourceMappingURL=${url}\n`);
      expect(new SourceMaps([]).sourceOf(place())).toBeUndefined();
    }
    for (const file of [
      '//host/share/app.js',
      '\\\\host\\share\\app.js',
      'http://host/app.js',
      'relative/app.js',
      'evalmachine',
    ]) {
      expect(new SourceMaps([]).sourceOf(place(file))).toBeUndefined();
    }
  });

  const noLinks = missingOnWindows('links for every user');
  it.skipIf(noLinks !== undefined)(named('is not behind a link that leads elsewhere', noLinks), () => {
    write('dist/app.js.map', JSON.stringify(MAP));
    mkdirSync(join(root, 'links'));
    symlinkSync(join(root, 'dist/app.js.map'), join(root, 'links/app.js.map'));
    const maps = new SourceMaps([join(root, 'links')]);
    expect(maps.sourceOf(place(join(root, 'links/app.js')))).toBeUndefined();
  });
});

describe('the frame of a function', () => {
  const event = (parts: Partial<TraceEvent>) =>
    ({ provider: '', name: '', payload: {}, processId: 42, timestamp: 1n, ...parts }) as TraceEvent;
  const frameOf = (MethodName: string, MethodSignature: string) => {
    const names = new FrameNames(undefined, new SourceMaps([]));
    const file = { ModuleID: 1n, ModuleILPath: join(root, 'dist/app.js') };
    names.add(event({ name: 'Loader/ModuleDCStart', payload: file }));
    const method = { ModuleID: 1n, MethodStartAddress: 16n, MethodSize: 16, MethodNamespace: 'dist/app.js' };
    const payload = { ...method, MethodName, MethodSignature };
    names.add(event({ name: 'Method/DCStartVerbose', payload }));
    return names.frameOf(42, 24n, 2n);
  };

  it('has the path of the source, relative to what that of the script is relative to', () => {
    write('dist/app.js.map', JSON.stringify(MAP));
    const file = join(root, 'src/cart.ts');
    const place = { name: 'total', file, line: 2, column: 17 };
    expect(frameOf('t', '(1:11)')).toEqual({ name: 'src/cart.ts.total', module: file, place });
  });

  it('is not named after something else before it', () => {
    write('dist/app.js', 'c=[r,e=>1]');
    const [names, mappings] = [['total'], 'AAAA,GAAAA,EAAA'];
    write('dist/app.js.map', JSON.stringify({ ...MAP, sourcesContent: ['[total,(n)=>1]'], names, mappings }));
    expect(frameOf('c', '(1:6)').name).toBe('src/cart.ts.c');
  });

  it('is that of the script without a map, and for what only looks like a place', () => {
    expect(frameOf('t', '(1:11)').name).toBe('dist/app.js.t');
    write('dist/app.js.map', JSON.stringify(MAP));
    expect(frameOf('t', 'instance void (int32)').name).toBe('dist/app.js.t');
  });

  it('without a name has the place in the source', () => {
    const sourcesContent = ['run(() => 1);\n'];
    write('dist/app.js.map', JSON.stringify({ ...MAP, sourcesContent, mappings: 'AAAI' }));
    expect(frameOf('(anonymous):1:1', '(1:1)').name).toBe('src/cart.ts.(anonymous):1:5');
    expect(frameOf('(inlined):1', '(1:1)').name).toBe('src/cart.ts.(inlined):1:5');
  });

  it('of perf is as V8 would have written it for the source', () => {
    write('dist/app.js.map', JSON.stringify(MAP));
    const script = join(root, 'dist/app.js');
    const names = new FrameNames(undefined, new SourceMaps([]));
    const functions = [`JS:*t ${script}:1:11`, `JS:~t file://${script}:1:11`, 'JS:*main'];
    const mappings = {
      functions: new Map(functions.map((name, index) => [BigInt(index), { name, module: 'perf-42.map' }])),
    } as unknown as CodeMappings;
    const found = functions.map((_, index) => names.frameOf(42, BigInt(index), 2n, mappings).name);
    const source = `${join(root, 'src/cart.ts')}:2:17`;
    expect(found).toEqual([`JS:*total ${source}`, `JS:~total ${source}`, 'JS:*main']);
  });
});
