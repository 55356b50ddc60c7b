// Checks C and C++ against .clang-format: `node scripts/check-native-format.mjs`; with --write, formats them.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { report, run } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const folders = ['native', 'test', 'scripts'];

try {
  const { values } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
  const sources = folders.flatMap((folder) =>
    readdirSync(join(root, folder), { encoding: 'utf8', recursive: true })
      .filter((name) => /\.(h|c|cc)$/.test(name) && !/node_modules|build/.test(name))
      .map((name) => join(folder, name)),
  );
  const { getNativeBinary } = createRequire(import.meta.url)('clang-format');
  run(getNativeBinary(), [...(values.write ? ['-i'] : ['--dry-run', '-Werror']), ...sources], { cwd: root });
} catch (error) {
  report(error);
}
