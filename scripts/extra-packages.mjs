// Installs what few commands need and what is large: SQL engines, another Parquet reader, the API extractor, cmake-js.
// They are no devDependencies, so that a clone's first `npm test` and `npm run demo` do without 650 MB of them.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRequired } from './lib/require.mjs';
import { report, run, ToolError } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');

const PACKAGES = {
  '@duckdb/node-api': '1.5.6-r.1',
  '@microsoft/api-extractor': '7.60.1',
  chdb: '3.4.0',
  'cmake-js': '8.0.0',
  hyparquet: '1.31.5',
};

function isInstalled([name, version]) {
  const manifest = join(root, 'node_modules', name, 'package.json');
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version;
}

/**
 * Installs those that are missing, beside the dependencies and without a trace in package.json: Vitest calls this before
 * the tests that need them.
 * @throws {ToolError} if npm cannot install them
 */
export function installExtraPackages() {
  if (Object.entries(PACKAGES).every(isInstalled)) return;
  console.log(`Installing ${Object.keys(PACKAGES).join(', ')}`);
  const wanted = Object.entries(PACKAGES).map(([name, version]) => `${name}@${version}`);
  // npm would leave out DuckDB, an optional peer of this package, if it were not told whose it is.
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--save-dev', ...wanted];
  run('npm', args, { cwd: root, shell: process.platform === 'win32' });
}

/** What Vitest calls: without the registry, the tests that need one of these say what is missing. */
export default function setup() {
  try {
    installExtraPackages();
  } catch (error) {
    if (!(error instanceof ToolError) || isRequired('registry')) throw error;
    console.log(error.message);
  }
}

if (import.meta.filename === process.argv[1]) {
  try {
    installExtraPackages();
  } catch (error) {
    report(error);
  }
}
