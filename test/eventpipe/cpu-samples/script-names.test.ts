/** The names of scripts. */
import { join, sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { scriptNames } from '../../../lib/eventpipe/cpu-samples/script-names.ts';

const path = (text: string) => (sep === '/' ? text : `C:${text.replaceAll('/', sep)}`);
const folder = path('/srv/shop');

it.each([
  ['inside the folder by its path from there', '/srv/shop/lib/cart.js', 'lib/cart.js'],
  ['elsewhere by its last folder', '/opt/tools/start/index.js', 'start/index.js'],
  [
    'of a package by the path that imports it',
    '/srv/shop/node_modules/express/lib/app.js',
    'express/lib/app.js',
  ],
  [
    'of a package of a package by the inner one',
    '/srv/shop/node_modules/a/node_modules/@b/c/index.js',
    '@b/c/index.js',
  ],
  ['with a space and letters as they are', '/srv/shop/Größe 1.js', 'Größe 1.js'],
])('a file %s', (_, file, name) => {
  const url = pathToFileURL(path(file)).href;
  expect(scriptNames(url, '7', folder)).toEqual({ path: path(file), name });
});

it('names the files of this package as if it were installed, wherever it is linked from', () => {
  const file = join(import.meta.dirname, '../../../dist/cjs/write.cjs');
  expect(scriptNames(pathToFileURL(file).href, '7', folder).name).toBe('tracewright/dist/cjs/write.cjs');
});

it.each([
  ['of Node.js', 'node:internal/timers', '7', process.execPath, 'node:internal/timers'],
  ['that is not a script', '', '0', process.execPath, 'native'],
  ['without a name', '', '7', process.execPath, 'eval'],
  ['that vm evaluates', 'evalmachine.<anonymous>', '7', 'evalmachine.<anonymous>', 'evalmachine.<anonymous>'],
  ['with a URL that is not a file', 'file://%', '7', 'file://%', 'file://%'],
  ['with a long URL', `data:${'x'.repeat(1000)}`, '7', `data:${'x'.repeat(195)}`, `data:${'x'.repeat(195)}`],
])('code %s', (_, url, scriptId, where, name) => {
  expect(scriptNames(url, scriptId, folder)).toEqual({ path: where, name });
});
