// Compiles lib/ into dist/. First module by module: the project's own tests and benchmarks load single modules, and the
// declarations are derived from them. Then what the package ships: one CommonJS file per entry (dist/cjs) with a face for
// bundlers (dist/esm), their types (dist/types), the report page (dist/report), and what is known about Windows.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import { deferred, entries, program, registration } from './lib/entries.mjs';
import { report, run } from './lib/run.mjs';
import { packWindowsProviders } from './lib/windows-providers.mjs';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const lib = (name) => join(root, 'lib', `${name}.ts`);

/** Resolved where the package is installed: Node's own modules, dependencies and optional peers. */
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const installed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
const external = [/^node:/, ...installed.map((name) => new RegExp(`^${name}(/|$)`))];

const comments = { annotation: false, jsdoc: false, legal: false };

const inputs = (names) =>
  Object.fromEntries(names.map((name) => [name, lib(entries[name] ?? program[name] ?? deferred[name])]));

/**
 * Puts functions that load a module when they are first called in the place of the module's own, which must be all
 * that it exports. Only the bundles do this: `import()` would make the functions asynchronous, and modules alone have
 * no `require`.
 */
const deferring = {
  name: 'deferred-modules',
  async resolveId(source, importer, options) {
    if (source.startsWith('./deferred:')) return { id: source, external: true };
    if (importer === undefined) return null;
    const id = (await this.resolve(source, importer, { ...options, skipSelf: true }))?.id;
    const name = Object.keys(deferred).find((each) => lib(deferred[each]) === id);
    return name === undefined ? null : `\0deferred:${name}`;
  },
  load(id) {
    if (!id.startsWith('\0deferred:')) return null;
    const name = id.slice('\0deferred:'.length);
    const names = [...readFileSync(lib(deferred[name]), 'utf8').matchAll(/^export function (\w+)/gm)];
    return names
      .map(
        ([, each]) => `export const ${each} = (...all) => require('./deferred:${name}.cjs').${each}(...all);`,
      )
      .join('\n');
  },
};

/**
 * @param {import('rolldown').InputOptions} input
 * @param {import('rolldown').OutputOptions} output
 */
async function bundle(input, output) {
  const build = await rolldown({ external, checks: { pluginTimings: false }, ...input });
  try {
    return (await build.write(output)).output;
  } finally {
    await build.close();
  }
}

/** The modules loaded with this one: all its imports and theirs, except `import()`. */
async function modulesOf(name) {
  const loaded = new Set();
  const graph = {
    name: 'loaded-modules',
    buildEnd() {
      const pending = [lib(name)];
      for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
        if (loaded.has(id)) continue;
        loaded.add(id);
        pending.push(...(this.getModuleInfo(id)?.importedIds ?? []));
      }
    },
  };
  const build = await rolldown({ input: lib(name), external, platform: 'node', plugins: [deferring, graph] });
  await build.generate();
  await build.close();
  return loaded;
}

/**
 * One chunk contains what every writer of events loads, another what every reader of traces loads, and a third what
 * writers share with readers of any format, or with the command line. The index stays separate: loading it may open the
 * diagnostic port, which is only for code that imports it. Sessions have a chunk of their own, another for what they share
 * with threads that join them, and one for what they share with readers.
 */
async function chunkGroups() {
  const [writing, reading] = [await modulesOf(entries.index), await modulesOf(entries.trace)];
  const [sessions, parts] = [await modulesOf(deferred.sessions), await modulesOf(deferred['session-parts'])];
  const others = [
    'trace/etl/open-etl',
    'trace/nettrace/open-nettrace',
    'trace/perf-data/open-perf-data',
    program.cli,
  ];
  const outside = new Set([
    ...reading,
    ...(await Promise.all(others.map(modulesOf))).flatMap((all) => [...all]),
  ]);
  writing.delete(lib(entries.index));
  return {
    groups: [
      { name: 'base', test: (id) => writing.has(id) && outside.has(id), priority: 6 },
      { name: 'write', test: (id) => writing.has(id), priority: 5 },
      { name: 'shared', test: (id) => (sessions.has(id) || parts.has(id)) && outside.has(id), priority: 4 },
      { name: 'session-parts', test: (id) => parts.has(id), priority: 3 },
      { name: 'session', test: (id) => sessions.has(id), priority: 2 },
      { name: 'read', test: (id) => reading.has(id), priority: 1 },
    ],
  };
}

const atOnce = ({ imports }) => imports;
const atOnceOrLater = ({ imports, dynamicImports }) => [...imports, ...dynamicImports];

/** The files that loading these loads, and they themselves. */
function loadedFiles(output, files, importsOf) {
  const chunks = new Map(
    output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]),
  );
  const loaded = new Set();
  const pending = [...files];
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    const chunk = chunks.get(file);
    if (chunk === undefined || loaded.has(file)) continue;
    loaded.add(file);
    pending.push(...importsOf(chunk));
  }
  return loaded;
}

/**
 * Puts the names of the deferred modules' files in the code that loads them. The names change with the contents: a
 * process that outlives its files finds none, instead of those of another version.
 */
function withDeferredNames(code, output) {
  const fileOf = (name) => output.find((chunk) => chunk.isEntry && chunk.name === name).fileName;
  return code.replace(/\.\/deferred:([\w-]+)\.cjs/g, (_, name) => `./${fileOf(name)}`);
}

/**
 * Bundlers take this code into modules as well, where esbuild leaves no `require` for what is not bundled: Node's own
 * modules.
 */
function withoutRequire(code) {
  return code.replace(/\brequire\("(node:[\w/]+)"\)/g, 'process.getBuiltinModule("$1")');
}

const GETTER =
  /Object\.defineProperty\(exports, "([^"]+)", \{\s+enumerable: true,\s+get: function\(\) \{\s+return (\S+);\s+\}\s+\}\);\n/g;

/**
 * Gives a chunk that entries share an object with its exports, in place of a getter for each: those take a tenth of
 * the time of an import. None of the exports changes after the chunk is loaded.
 */
function withExportedValues(code) {
  const exported = [];
  const rest = code.replace(GETTER, (_statement, name, value) => {
    exported.push(name === value ? name : `${JSON.stringify(name)}: ${value}`);
    return '';
  });
  if (exported.length === 0 || /^exports\./m.test(rest)) return code;
  return `${rest}module.exports = {\n\t${exported.join(',\n\t')}\n};\n`;
}

/**
 * Escapes characters beyond Latin-1: V8 keeps the text of a program as long as the program, with two bytes for each
 * character if one needs them. A single ellipsis took each writer of events 0.25 MB of heap.
 */
function inLatin1(code) {
  return code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Writes the chunks of the bundle as Node.js and bundlers load them. */
function finishChunks(folder, output) {
  const ofEntries = output.filter(({ isEntry, name }) => isEntry && (name in entries || name in deferred));
  const files = ofEntries.map(({ fileName }) => fileName);
  const bundled = loadedFiles(output, files, atOnceOrLater);
  for (const { fileName, isEntry, imports, code: written } of output) {
    let code = withDeferredNames(written, output);
    if (bundled.has(fileName)) code = withoutRequire(code);
    // Where chunks import each other, the object would replace one that is already in use.
    const isInCircle = loadedFiles(output, imports, atOnce).has(fileName);
    if (!isEntry && !isInCircle) code = withExportedValues(code);
    writeFileSync(join(folder, fileName), inLatin1(code));
  }
}

/** The folder of a bundle that contains CommonJS, if the bundle is a module: its faces for bundlers set it. */
const bundleFolder = "globalThis[Symbol.for('tracewright.bundleFolder')]";

async function bundleEntries() {
  const dir = join(dist, 'cjs');
  const names = Object.keys({ ...entries, ...program, ...deferred });
  const output = await bundle(
    {
      input: inputs(names),
      platform: 'node',
      plugins: [deferring],
      transform: { define: { 'import.meta.dirname': bundleFolder } },
    },
    {
      dir,
      format: 'cjs',
      exports: 'named',
      comments,
      codeSplitting: await chunkGroups(),
      entryFileNames: ({ name }) => (name in deferred ? '[name]-[hash].cjs' : '[name].cjs'),
      chunkFileNames: '[name]-[hash].cjs',
    },
  );
  finishChunks(dir, output);
  return output;
}

/** The ESM face of a CommonJS entry: one instance of tracewright per thread, for both `import` and `require`. */
function writeModuleFace(name, exports) {
  const lines = [
    "import { createRequire } from 'node:module';",
    `const all = createRequire(import.meta.url)('./${name}.cjs');`,
    `export const { ${exports.filter((each) => each !== 'default').join(', ')} } = all;`,
    ...(exports.includes('default') ? ['export default all.default;'] : []),
  ];
  writeFileSync(join(dist, 'cjs', `${name}.mjs`), `${lines.join('\n')}\n`);
}

/**
 * What bundlers import. They need to see the names, which a face with `createRequire` does not show. It is the same
 * code, because a copy in modules would be a fifth of the package, and would make a bundle an eighth smaller only.
 */
function writeBundledFace(name, exports) {
  const from = `'../cjs/${name}.cjs';\n`;
  const named = exports.filter((each) => each !== 'default').join(', ');
  // To some bundlers the default of CommonJS is its `default`, to others all of it.
  const ofDefault = `import all from ${from}export default all.default ?? all;\n`;
  writeFileSync(
    join(dist, 'esm', `${name}.js`),
    `import './folder.js';\nexport { ${named} } from ${from}${exports.includes('default') ? ofDefault : ''}`,
  );
}

/** Next to the faces, whose instance the application will use. */
async function bundleRegistration() {
  const instance = {
    name: 'instance-of-the-application',
    resolveId: (id) =>
      id === './enable-diagnostics.ts' ? { id: './diagnostics.mjs', external: true } : null,
  };
  await bundle(
    { input: lib(registration.module), platform: 'node', plugins: [instance] },
    {
      file: join(dist, 'cjs', `${registration.name}.mjs`),
      format: 'es',
      comments,
    },
  );
}

/** The types of modules are CommonJS's own, like their values. */
async function bundleTypes() {
  const dir = join(dist, 'types');
  const declared = Object.entries(entries).map(([name, path]) => [name, join(dist, `${path}.d.ts`)]);
  await bundle(
    {
      input: Object.fromEntries(declared),
      plugins: [dts({ dtsInput: true, tsconfig: false, sourcemap: false })],
    },
    {
      dir,
      format: 'es',
      // For Node's own types, and for Symbol.dispose with older language libraries.
      banner: '/// <reference types="node" />',
      entryFileNames: '[name].d.cts',
      chunkFileNames: '[name]-[hash].d.cts',
    },
  );
  for (const name of Object.keys(entries)) {
    const hasDefault = / as default\b/.test(readFileSync(join(dir, `${name}.d.cts`), 'utf8'));
    const ofDefault = hasDefault ? `export { default } from './${name}.cjs';\n` : '';
    writeFileSync(join(dir, `${name}.d.ts`), `export * from './${name}.cjs';\n${ofDefault}`);
  }
}

/** The pages of reports and live views: browser programs, each in one script, next to their HTML and style. */
async function buildPages() {
  const page = join(root, 'lib/pages');
  mkdirSync(join(dist, 'report'), { recursive: true });
  for (const [name, program] of [
    ['report', 'main.ts'],
    ['live', 'live.ts'],
  ]) {
    const file = join(dist, `report/${name}.js`);
    await bundle(
      { input: join(page, program), platform: 'browser' },
      { file, format: 'iife', minify: true, comments },
    );
    copyFileSync(join(page, `${name}.html`), join(dist, `report/${name}.html`));
    const style = readFileSync(join(page, `${name}.css`), 'utf8');
    // Each report has a copy: without comments and indentation.
    const compact = style.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s+/gm, '');
    writeFileSync(join(dist, `report/${name}.css`), compact);
  }
}

/** @throws {import('./lib/run.mjs').ToolError} */
export async function compile() {
  rmSync(dist, { recursive: true, force: true });
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
  });
  mkdirSync(join(dist, 'esm'), { recursive: true });
  writeFileSync(join(dist, 'esm/folder.js'), `${bundleFolder} = import.meta.dirname;\n`);
  for (const chunk of await bundleEntries()) {
    if (chunk.type !== 'chunk' || !chunk.isEntry || !(chunk.name in entries)) continue;
    writeModuleFace(chunk.name, chunk.exports);
    writeBundledFace(chunk.name, chunk.exports);
  }
  await bundleRegistration();
  await bundleTypes();
  await buildPages();
  const providers = readFileSync(join(root, 'lib/known/windows-providers.tsv'), 'utf8');
  writeFileSync(join(dist, 'windows-providers.br'), packWindowsProviders(providers));
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  try {
    await compile();
  } catch (error) {
    report(error);
  }
}
