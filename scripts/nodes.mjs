// One Node.js of each supported major version, kept in the user's cache folder, for tests of what differs between
// them. `node scripts/nodes.mjs` fetches from npm what is missing.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './lib/make-folder.mjs';
import { report, run } from './lib/run.mjs';
import { cacheFolder } from './vm/kernels.mjs';

const VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];

const isWindows = process.platform === 'win32';
const packageName = `node-${isWindows ? 'win' : process.platform}-${process.arch}`;

/** By major version, the path of the program, where it has been fetched. */
export const nodes = Object.fromEntries(
  VERSIONS.map((version) => [
    version.split('.')[0],
    join(cacheFolder(), `${packageName}-${version}`, isWindows ? 'node.exe' : 'node'),
  ]).filter(([, path]) => existsSync(path)),
);

export const majors = VERSIONS.map((version) => version.split('.')[0]);

function fetchNode(version, folder) {
  const [packed] = JSON.parse(
    run('npm', ['pack', '--json', `${packageName}@${version}`, '--pack-destination', folder]),
  );
  const archive = join(folder, packed.filename);
  run('tar', ['-xzf', archive, '-C', folder, '--strip-components=2', 'package/bin']);
  rmSync(archive);
}

if (import.meta.filename === process.argv[1]) {
  try {
    for (const version of VERSIONS) {
      makeFolder(join(cacheFolder(), `${packageName}-${version}`), (folder) => fetchNode(version, folder));
    }
  } catch (error) {
    report(error);
  }
}
