/**
 * Asks each route of the server with the open waits, and prints what `tracewright now` says: of all routes but the one
 * that blocks the event loop, and of all of them. `KEEP` is whether the server keeps activities.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

const dist = fileURLToPath(new URL('../../../dist/cjs/', import.meta.url));
const program = fileURLToPath(new URL('open-waits.mjs', import.meta.url));
const cli = join(dist, 'cli.cjs');
const auto = pathToFileURL(join(dist, 'auto.cjs')).href;
const [kind = 'kept'] = process.argv.slice(2);
const ROUTES = ['query', 'connect', 'acquire', 'sleep', 'fs', 'outgoing', 'body', 'drain', 'never'];

const folder = mkdtempSync(join(tmpdir(), 'tracewright-now-'));
const peer = createServer(() => {}).listen(0, '127.0.0.1');
await once(peer, 'listening');
const env = {
  ...process.env,
  NODE_OPTIONS: '',
  TMPDIR: folder,
  PEER: peer.address().port,
  TRACEWRIGHT_DIAGNOSTICS: kind === 'unprepared' ? '' : '1',
  TRACEWRIGHT_KEEP_ACTIVITIES: kind === 'kept' ? '1' : '',
};
// Other tests use the default port at the same time.
const taker = createServer().listen(0, '127.0.0.1');
await once(taker, 'listening');
const inspectorPort = taker.address().port;
taker.close();
const loaded = kind === 'unprepared' ? [`--inspect-port=${inspectorPort}`] : ['--import', auto];
const server = spawn(process.execPath, [...loaded, program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(server.stdout, 'data');
const port = Number(line);

function ask(route) {
  const isUpload = route === 'body';
  const method = isUpload ? 'POST' : 'GET';
  const asking = request({ port, host: '127.0.0.1', path: `/${route}/7`, method, agent: false });
  asking.on('error', () => {});
  // Nobody reads the response.
  asking.on('response', () => {});
  if (isUpload) asking.write('first');
  else asking.end();
}

async function now(...options) {
  const child = spawn(process.execPath, [cli, 'now', '-p', String(server.pid), ...options], {
    env: { ...env, TRACEWRIGHT_DIAGNOSTICS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const started = performance.now();
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const [status] = await once(child, 'close');
  return { status, stdout, stderr, ms: Math.round(performance.now() - started) };
}

for (const route of ROUTES) ask(route);
// All of them have come to where they wait.
await sleep(1000);
const waiting = { text: await now(), json: await now('--json') };
ask('stuck');
await sleep(1000);
const stuck = { text: await now(), json: await now('--json') };
server.kill('SIGKILL');
await once(server, 'exit');
peer.close();
peer.closeAllConnections();
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ waiting, stuck }));
process.exit();
