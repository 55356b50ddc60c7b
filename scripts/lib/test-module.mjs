// Loads a TypeScript module of test/ that scripts use, too: decoders that only tests and conformance runs need. Its
// imports from lib/ resolve to dist/, so errors and classes are the same on both sides.
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const root = join(import.meta.dirname, '../..');
const lib = join(root, 'lib/');

const builtLibrary = {
  name: 'built-library',
  resolveId(source, importer) {
    if (importer === undefined || !source.startsWith('.')) return null;
    const target = join(dirname(importer), source);
    if (!target.startsWith(lib)) return null;
    const built = join(root, 'dist', target.slice(lib.length).replace(/\.ts$/, '.js'));
    return { id: pathToFileURL(built).href, external: true };
  },
};

/** @param {string} path from the package folder */
export async function loadTestModule(path) {
  const build = await rolldown({ input: join(root, path), external: /^node:/, plugins: [builtLibrary] });
  try {
    const { output } = await build.generate({ format: 'esm' });
    return await import(`data:text/javascript,${encodeURIComponent(output[0].code)}`);
  } finally {
    await build.close();
  }
}
