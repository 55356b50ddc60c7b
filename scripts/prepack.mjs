// What npm runs before it packs: fails without what `npm run build:ts` builds, and warns of prebuilt addons that are
// missing, with which the package would reach no tracer.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prebuildProblems } from './ci/check-prebuilds.mjs';

const root = join(import.meta.dirname, '..');
const { files } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const needed = files.filter((path) => path !== 'prebuilds' && !path.startsWith('!'));
const missing = needed.filter((path) => !existsSync(join(root, path)));
if (missing.length > 0) {
  console.error(`ERROR: the package would lack ${missing.join(', ')}: run npm run build:ts first.`);
  process.exitCode = 1;
} else {
  const problems = prebuildProblems(join(root, 'prebuilds'));
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) {
    console.error(
      'WARNING: a package without them reaches no tracer there. Releases are packed by prebuild.yml.',
    );
  }
}
