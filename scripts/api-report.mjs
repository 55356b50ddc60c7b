// Writes the types that each entry of the package exports to test/api, so that reviews show changes to the public API;
// a test compares them. Usage: npm run api
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { entries } from './lib/entries.mjs';

// CommonJS whose exports Node cannot list.
const { Extractor, ExtractorConfig } = createRequire(import.meta.url)('@microsoft/api-extractor');

const root = join(import.meta.dirname, '..');
export const reportFolder = join(root, 'test/api');
export const entryNames = Object.keys(entries);

const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  moduleResolution: 'nodenext',
  lib: ['es2023', 'esnext.disposable'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};

/**
 * The report of an entry's published declarations.
 * @param {string} name as in `entries`
 * @param {string} folder to write it to
 */
export async function apiReport(name, folder) {
  const temporary = await mkdtemp(join(tmpdir(), 'tracewright-api-'));
  const config = ExtractorConfig.prepare({
    configObject: {
      projectFolder: root,
      mainEntryPointFilePath: join(root, `dist/types/${name}.d.ts`),
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
  try {
    Extractor.invoke(config, {
      localBuild: true,
      messageCallback: (message) => {
        message.handled = true;
      },
    });
    return readFileSync(join(folder, `${name}.api.md`), 'utf8');
  } finally {
    await rm(temporary, { recursive: true });
  }
}

if (process.argv[1] && pathToFileURL(process.argv[1]).href === import.meta.url) {
  for (const name of entryNames) await apiReport(name, reportFolder);
}
