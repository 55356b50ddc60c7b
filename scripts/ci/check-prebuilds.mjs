// `node check-prebuilds.mjs [FOLDER]`: fails unless the folder (prebuilds/ by default) contains the addon for every
// platform of the package, each for the system and processor in its name, and nothing else.
import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { prebuildTargets } from '../lib/prebuild-targets.mjs';
import { binaryTarget } from './binary-target.mjs';

function firstBytes(file) {
  const bytes = Buffer.alloc(4096);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, bytes);
  closeSync(descriptor);
  return bytes;
}

function binaryProblem(folder, name) {
  const [expected] = name.split('/');
  try {
    const target = binaryTarget(firstBytes(join(folder, name)));
    return target === expected ? undefined : `${name} is for ${target}.`;
  } catch (error) {
    return `${name}: ${error.message}`;
  }
}

/**
 * @param {string} folder
 * @returns {string[]} the problems, in sentences
 */
export function prebuildProblems(folder) {
  if (!existsSync(folder)) return [`There is no folder ${folder}.`];
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .map((name) => name.replaceAll('\\', '/'));
  return [
    ...prebuildTargets.filter((name) => !found.includes(name)).map((name) => `${name} is missing.`),
    ...found.filter((name) => !prebuildTargets.includes(name)).map((name) => `${name} is not expected.`),
    ...prebuildTargets
      .filter((name) => found.includes(name))
      .flatMap((name) => binaryProblem(folder, name) ?? []),
  ];
}

if (import.meta.filename === process.argv[1]) {
  const folder = process.argv[2] ?? join(import.meta.dirname, '../../prebuilds');
  const problems = prebuildProblems(folder);
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
  else console.log(`All ${prebuildTargets.length} prebuilt addons are there.`);
}
