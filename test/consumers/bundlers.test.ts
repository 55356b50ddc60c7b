/** Bundled applications behave as before, with the addon next to the bundle or without one. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { named } from '../platforms.ts';
import { Application, installedTools, reasonOf } from './application.ts';

const tools = installedTools({
  '@rollup/plugin-commonjs': '^29.0.0',
  '@rollup/plugin-node-resolve': '^16.0.0',
  esbuild: '^0.28.0',
  rollup: '^4.50.0',
  vite: '^8.0.0',
  webpack: '^5.100.0',
});

const body = `
const log = defineEventSource('Bundled-Application', { Tick: event({ n: 'uint32' }) });
listen(log, (written) => console.log(written.name, written.payload.n));
log.Tick({ n: 7 });
console.log(log.status.backend, log.status.reason);
openTrace('no-such-trace').catch((error) => console.log(error.message));
`;

/** Programs that write a bundle of `entry` to `out` in `format`. */
const bundlers = {
  esbuild: `
    import { build } from 'esbuild';
    await build({ entryPoints: [entry], bundle: true, platform: 'node', format, outfile: out, logLevel: 'error' });`,
  rollup: `
    import commonjs from '@rollup/plugin-commonjs';
    import resolve from '@rollup/plugin-node-resolve';
    import { rollup } from 'rollup';
    import { dirname } from 'node:path';
    const plugins = [resolve({ preferBuiltins: true, exportConditions: ['node'] }), commonjs()];
    const bundle = await rollup({ input: entry, external: [/^node:/], plugins });
    const name = out.endsWith('.mjs') ? '.mjs' : '.cjs';
    await bundle.write({
      dir: dirname(out), format: format === 'esm' ? 'es' : 'cjs',
      entryFileNames: 'bundle' + name, chunkFileNames: '[name]' + name,
    });`,
  vite: `
    import { dirname } from 'node:path';
    import { build } from 'vite';
    const name = out.endsWith('.mjs') ? '.mjs' : '.cjs';
    await build({
      configFile: false, logLevel: 'error', ssr: { noExternal: true },
      build: {
        ssr: entry, outDir: dirname(out), emptyOutDir: false,
        rollupOptions: { output: {
          format: format === 'esm' ? 'es' : 'cjs',
          entryFileNames: 'bundle' + name, chunkFileNames: '[name]' + name,
        } },
      },
    });`,
  webpack: `
    import webpack from 'webpack';
    import { basename, dirname } from 'node:path';
    const isModule = format === 'esm';
    const stats = await new Promise((resolve, reject) => webpack({
      mode: 'development', devtool: false, target: 'node20', entry, experiments: { outputModule: isModule },
      output: {
        path: dirname(out), filename: basename(out),
        ...(isModule ? { library: { type: 'module' }, chunkFormat: 'module' } : { libraryTarget: 'commonjs2' }),
      },
    }, (error, done) => error ? reject(error) : resolve(done)));
    if (stats.hasErrors() || stats.hasWarnings()) throw new Error(stats.toString());`,
};

const combinations = (Object.keys(bundlers) as (keyof typeof bundlers)[]).flatMap((bundler) =>
  (['esm', 'cjs'] as const).flatMap((format) =>
    (['import', 'require'] as const).map((loading) => ({ bundler, format, loading })),
  ),
);

describe.skipIf('reason' in tools)(named('a bundle', reasonOf(tools)), () => {
  let application: Application;
  beforeAll(() => {
    application = new Application('folder' in tools ? tools.folder : '');
    application.write(
      'import.mjs',
      `import { defineEventSource, event, listen } from 'tracewright';
       import { openTrace } from 'tracewright/trace';${body}`,
    );
    application.write(
      'require.cjs',
      `const { defineEventSource, event, listen } = require('tracewright');
       const { openTrace } = require('tracewright/trace');${body}`,
    );
    application.write('loader.mjs', 'await import(process.argv[2]);');
    for (const [name, text] of Object.entries(bundlers)) {
      application.write(`${name}.mjs`, `const [, , entry, format, out] = process.argv;${text}`);
    }
  }, 120_000);
  afterAll(() => application?.remove());

  it.each(combinations)(
    'built by $bundler as $format, of an application that uses $loading',
    { timeout: 120_000 },
    ({ bundler, format, loading }) => {
      const out = join(application.folder, `out/${bundler}-${format}-${loading}`);
      mkdirSync(out, { recursive: true });
      const bundle = join(out, format === 'esm' ? 'bundle.mjs' : 'bundle.cjs');
      const entry = join(application.folder, loading === 'import' ? 'import.mjs' : 'require.cjs');
      const built = application.run(process.execPath, [`${bundler}.mjs`, entry, format, bundle]);
      expect(built.status, built.output).toBe(0);

      // Away from node_modules, where nothing but the bundle can be found.
      const away = join(application.folder, '..', `tracewright-away-${process.pid}`);
      cpSync(out, away, { recursive: true });
      try {
        const moved = join(away, bundle.slice(out.length + 1));
        const without = application.run(process.execPath, [moved], { cwd: away });
        expect(without.output).toContain('Tick 7\n');
        expect(without.output).toContain(
          `none The native addon could not be loaded (there is no build/Release`,
        );
        expect(without.output).toContain('no-such-trace');
        expect(without.status).toBe(0);

        cpSync(join(application.folder, 'node_modules/tracewright/prebuilds'), join(away, 'prebuilds'), {
          recursive: true,
        });
        // Not the main script: only the bundle itself says where the addon is.
        const loaded = application.run(process.execPath, ['loader.mjs', moved]);
        expect(loaded.output).toContain('Tick 7\n');
        expect(loaded.output).not.toContain('could not be loaded');
      } finally {
        rmSync(away, { recursive: true });
      }
    },
  );
});
