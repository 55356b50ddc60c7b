// Writes what follows from the package's entries: the types that each exports to test/api, so that reviews show changes to
// the public API, and their paths to package.json. A test compares both. Usage: npm run api
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entries, packageEntries } from './lib/entries.mjs';

// CommonJS whose exports Node cannot list.
const { CompilerState, Extractor, ExtractorConfig } = createRequire(import.meta.url)(
  '@microsoft/api-extractor',
);

const root = join(import.meta.dirname, '..');
export const reportFolder = join(root, 'test/api');
export const entryNames = Object.keys(entries);
export { packageEntries };

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};

const declarations = (name) => join(root, `dist/types/${name}.d.ts`);

function configOf(name, folder, temporary) {
  return ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: declarations(name),
      compiler: { overrideTsconfig: { compilerOptions } },
      apiReport: {
        enabled: true,
        reportFileName: `${name}.api.md`,
        reportFolder: folder,
        reportTempFolder: temporary,
      },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: { extractorMessageReporting: { default: { logLevel: 'none' } } },
    },
    configObjectFullPath: undefined,
    packageJsonFullPath: join(root, 'package.json'),
  });
}

/**
 * Writes the report of each entry's published declarations, from one program: a program for each takes five times as long.
 * @param {string} folder where to write them
 */
export async function writeApiReports(folder) {
  const temporary = await mkdtemp(join(tmpdir(), 'tracewright-api-'));
  try {
    const configs = entryNames.map((name) => configOf(name, folder, temporary));
    const compilerState = CompilerState.create(configs[0], {
      additionalEntryPoints: entryNames.map(declarations),
    });
    for (const config of configs) {
      Extractor.invoke(config, {
        compilerState,
        localBuild: true,
        messageCallback: (message) => {
          message.handled = true;
        },
      });
    }
  } finally {
    await rm(temporary, { recursive: true });
  }
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  const path = join(root, 'package.json');
  const manifest = { ...JSON.parse(readFileSync(path, 'utf8')), ...packageEntries() };
  writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  await writeApiReports(reportFolder);
}
