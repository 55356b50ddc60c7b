// `node check-release.mjs TAG REPOSITORY`: fails unless this checkout is what the tag says: the version of
// package.json, and the repository that npm will hold against the provenance of what is published.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {{ version: string, repository?: string | { url?: string } }} manifest package.json
 * @param {string} tag such as `v1.2.3`
 * @param {string} repository `owner/name`, as GITHUB_REPOSITORY has it
 * @returns {string[]} what is wrong, in sentences
 */
export function releaseProblems(manifest, tag, repository) {
  const { repository: declared } = manifest;
  const url = (typeof declared === 'string' ? declared : declared?.url) ?? '';
  const named = /(?:github\.com[/:]|^github:|^)([\w.-]+\/[\w.-]+?)(?:\.git)?$/.exec(url)?.[1];
  return [
    ...(tag === `v${manifest.version}`
      ? []
      : [`The tag is ${tag}, and package.json says version ${manifest.version}.`]),
    ...(named === repository
      ? []
      : [
          `"repository" in package.json is ${url === '' ? 'missing' : `"${url}"`}, and this is ${repository}: ` +
            'npm refuses provenance from another repository.',
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
