// What macOS is to the package: its name, and no /proc. Required before everything else.
const fs = require('node:fs');
const { syncBuiltinESMExports } = require('node:module');

Object.defineProperty(process, 'platform', { value: 'darwin' });

function missing(path) {
  return Object.assign(new Error(`ENOENT: no such file or directory, '${path}'`), { code: 'ENOENT' });
}

for (const name of ['readFileSync', 'readlinkSync', 'readdirSync', 'openSync', 'statSync']) {
  const real = fs[name];
  fs[name] = (path, ...args) => {
    if (/^\/proc\//.test(String(path))) throw missing(path);
    return real(path, ...args);
  };
}
const { existsSync } = fs;
fs.existsSync = (path) => !/^\/proc\//.test(String(path)) && existsSync(path);
syncBuiltinESMExports();
