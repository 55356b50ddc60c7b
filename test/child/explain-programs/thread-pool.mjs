/**
 * Records a server whose requests share the thread pool, and prints what it measured and how tracewright explains it:
 * `GET /hash` fills the pool, and `GET /read` waits behind that for its file.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { openTrace } from '../../../dist/cjs/trace.mjs';

const dist = fileURLToPath(new URL('../../../dist/cjs/', import.meta.url));
const program = fileURLToPath(new URL('thread-pool-server.mjs', import.meta.url));
const cli = join(dist, 'cli.cjs');
const folder = mkdtempSync(join(tmpdir(), 'tracewright-pool-'));
const trace = join(folder, 'a.nettrace');
const auto = pathToFileURL(join(dist, 'auto.cjs')).href;
const collecting = spawn(
  process.execPath,
  [cli, 'collect', '-o', trace, '--', process.execPath, '--import', auto, program],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
const [line] = await once(collecting.stdout, 'data');
const port = Number(line);

const begin = async (path) => {
  const [response] = await once(get({ port, host: '127.0.0.1', path, agent: false }), 'response');
  return response.setEncoding('utf8');
};
const endOf = async (response) => {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};
const ask = async (path) => endOf(await begin(path));

for (let round = 0; round < 4; round++) {
  for (let i = 0; i < 10; i++) {
    await ask(`/read/${round}${i}`);
    await sleep(5);
  }
  const hash = await begin(`/hash/${round}`);
  // The canary may come 10 ms after the one before it.
  await sleep(20);
  await Promise.all([endOf(hash), ask(`/read/${round}-behind`), ask(`/compress/${round}-behind`)]);
}
const truths = JSON.parse(await ask('/truths'));
await once(collecting, 'exit');
const { stdout } = await promisify(execFile)(
  process.execPath,
  [cli, 'explain', '--name', 'Node.Http/Request', '--slowest', '1000', '--json', trace],
  { maxBuffer: 2 ** 28 },
);
const delays = [];
for await (const { name, payload } of await openTrace(trace)) {
  if (name === 'ThreadPoolDelay') delays.push(payload.delayMSec);
}
rmSync(folder, { recursive: true });
console.log(JSON.stringify({ truths, delays, explanation: JSON.parse(stdout) }));
