// Uses the package from a folder whose path has a drive letter, blanks and letters of other scripts, as users of Windows
// do: each time in a node.exe of its own. Prints what they have printed, and their traces.
import { spawn, spawnSync } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';

const [longFolder] = process.argv.slice(2);
const installed = resolve('node_modules/tracewright');
const cli = join(installed, 'dist/cjs/cli.cjs');
const env = { ...process.env, PATH: `${dirname(process.execPath)};${process.env.PATH}` };

function run(program, args, options = {}) {
  const { status, stdout, stderr } = spawnSync(program, args, { env, encoding: 'utf8', ...options });
  return { status, stdout, stderr };
}
const node = (...args) => run(process.execPath, args);
const base64 = (file) => readFileSync(file).toString('base64');

writeFileSync(
  'requests.mjs',
  `import { createServer, get } from 'node:http';
  const server = createServer((_, response) => response.end('now'));
  server.listen(0, '127.0.0.1', () => {
    get({ port: server.address().port, path: '/time' }, (response) => {
      response.resume().on('end', () => server.close());
    });
  });`,
);
const collect = [cli, 'collect', '--provider', 'Node.Http', '-o'];
const auto = pathToFileURL(join(installed, 'dist/cjs/auto.mjs')).href;
const byUrl = node(...collect, 'by url ä.nettrace', '--', process.execPath, '--import', auto, 'requests.mjs');
const byName = node(
  ...collect,
  'by-name.nettrace',
  '--',
  'node',
  '--import',
  'tracewright/auto',
  'requests.mjs',
);

writeFileSync(
  'server.mjs',
  `import { existsSync } from 'node:fs';
  import { defineEventSource, event } from 'tracewright';
  const log = defineEventSource('Server-App', { Ping: event({ n: 'int32' }) });
  let n = 0;
  const timer = setInterval(() => {
    log.Ping({ n: n++ });
    if (existsSync('stop')) clearInterval(timer);
  }, 5);
  console.log('ready');`,
);
const output = openSync('output', 'w');
const server = spawn(process.execPath, ['--import', 'tracewright/diagnostics/register', 'server.mjs'], {
  env,
  stdio: ['ignore', output, output],
});
const ended = new Promise((end) => server.on('exit', end));
while (readFileSync('output', 'utf8') === '') await sleep(20);
const pipe = node(cli, 'collect', '-p', String(server.pid), '--duration', '500ms', '-o', 'pipe.nettrace');
writeFileSync('stop', '');
const serverStatus = await ended;

const shim = run(
  'cmd.exe',
  ['/d', '/s', '/c', '""node_modules\\.bin\\tracewright.cmd" stats "by url ä.nettrace""'],
  {
    windowsVerbatimArguments: true,
  },
);
const long = node(join(longFolder, 'status.mjs'));

console.log(
  JSON.stringify({
    auto,
    ends: [byUrl, byName, pipe].map(({ status, stdout }) => ({ status, stdout })),
    said: [byUrl, byName, pipe].map(({ stderr }) => stderr),
    server: { status: serverStatus, output: readFileSync('output', 'utf8') },
    traces: ['by url ä.nettrace', 'by-name.nettrace', 'pipe.nettrace'].map(base64),
    shim,
    long,
    longPath: resolve(longFolder, 'node_modules/tracewright/prebuilds/win32-x64/tracewright.node').length,
  }),
);
