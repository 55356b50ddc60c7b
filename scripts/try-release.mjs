// A release of the version in package.json, up to where it would leave this machine: `npm run release:try`. Builds the
// addon for the platforms that can be built for here, packs the package, has it judged by publint and "Are the types
// wrong?", and prints what a person has still to do. Changes nothing in the checkout but packed/ and prebuilds/.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { prebuildProblems } from './ci/check-prebuilds.mjs';
import { releaseProblems } from './ci/check-release.mjs';
import { report, run, ToolError } from './lib/run.mjs';

const root = join(import.meta.dirname, '..');
const packed = join(root, 'packed');
const shell = process.platform === 'win32';

/**
 * The changelog in which what is unreleased has this version and date.
 * @param {string} text
 * @param {string} version
 * @param {string} date such as `2026-01-31`
 */
export function releasedChangelog(text, version, date) {
  const [before, after] = text.split('## [Unreleased]\n');
  if (after === undefined || after.split('\n## ')[0].trim() === '') {
    throw new Error('CHANGELOG.md has nothing under "## [Unreleased]".');
  }
  const changes = after.replace(/^\nThis becomes .*\n/, '');
  return `${before}## [Unreleased]\n\n## [${version}] - ${date}\n${changes}`;
}

/** What a checker from the registry says against the package; undefined if nothing. */
function verdict(name, args) {
  try {
    run('npx', ['--yes', ...args], { cwd: root, shell });
    console.log(`${name}: nothing found.`);
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    return `${name} objects, or could not be had: ${error.message}\n${error.output}`;
  }
}

function tryRelease() {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const tag = `v${manifest.version}`;
  rmSync(packed, { recursive: true, force: true });
  mkdirSync(packed);
  process.stdout.write(run(process.execPath, [join(root, 'scripts/prebuild.mjs')], { cwd: root }));
  const args = ['pack', '--json', '--pack-destination', packed];
  const [{ filename, size }] = JSON.parse(run('npm', args, { cwd: root, shell }));
  const tarball = join(packed, filename);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const today = new Date().toISOString().slice(0, 10);
  writeFileSync(join(packed, 'CHANGELOG.md'), releasedChangelog(changelog, manifest.version, today));
  const left = [
    verdict('publint', ['publint', 'run', tarball, '--strict']),
    verdict('attw', [
      '--package=@arethetypeswrong/cli',
      'attw',
      tarball,
      '--exclude-entrypoints',
      'diagnostics/register',
    ]),
    ...prebuildProblems(join(root, 'prebuilds')).map((problem) => `${problem} prebuild.yml builds it.`),
    ...releaseProblems(manifest, tag, process.env.GITHUB_REPOSITORY ?? 'OWNER/tracewright'),
    `Commit packed/CHANGELOG.md in place of CHANGELOG.md.`,
    'Once: on npmjs.com, name release.yml and the environment "npm" as the trusted publisher of the package.',
    `Push the tag ${tag}: release.yml builds, tests and publishes with provenance.`,
  ].filter((each) => each !== undefined);
  console.log(`\n${tarball} (${size} bytes) is what this machine would release. Left for a person:`);
  for (const [index, each] of left.entries()) console.log(`${index + 1}. ${each}`);
}

if (import.meta.filename === process.argv[1]) {
  try {
    tryRelease();
  } catch (error) {
    report(error);
  }
}
