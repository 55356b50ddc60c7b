// `node check-release.mjs TAG REPOSITORY`: fails unless this checkout matches the tag: the version in package.json,
// and the repository that npm compares with the provenance of the published package.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {{ version: string, repository?: string | { url?: string } }} manifest package.json
 * @param {string} tag such as `v1.2.3`
 * @param {string} repository `owner/name`, as in GITHUB_REPOSITORY
 * @returns {string[]} the problems, in sentences
 */
export function releaseProblems(manifest, tag, repository) {
  const { repository: declared } = manifest;
  const url = (typeof declared === 'string' ? declared : declared?.url) ?? '';
  const named = /(?:github\.com[/:]|^github:|^)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];
  return [
    ...(tag === `v${manifest.version}`
      ? []
      : [`The tag is ${tag}, but package.json has version ${manifest.version}.`]),
    ...(named === repository
      ? []
      : [
          url === ''
            ? `package.json has no "repository": add "github:${repository}", or npm refuses the provenance.`
            : `"repository" in package.json is "${url}", but this is ${repository}: npm refuses the provenance.`,
        ]),
  ];
}

if (import.meta.filename === process.argv[1]) {
  const [tag = '', repository = ''] = process.argv.slice(2);
  const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8'));
  const problems = releaseProblems(manifest, tag, repository);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
}
