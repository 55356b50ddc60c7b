/**
 * A server with a cause of slowness in each route, which measures itself how long each made a request wait:
 * `GET /truths` answers with the milliseconds by request, and ends it. `PEER` is the port of a slow peer, and `DNS` of a slow name
 * server.
 */
import { execFile, execFileSync } from 'node:child_process';
import { pbkdf2 } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const { PEER, DNS } = process.env;
const folder = mkdtempSync(join(tmpdir(), 'tracewright-causes-'));
process.on('exit', () => rmSync(folder, { recursive: true }));
setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const retained = Array.from({ length: 400_000 }, (_, index) => ({ index, text: `${index}` }));

/** Milliseconds by the request's URL. */
const truths = {};

function burn(ms) {
  for (const end = performance.now() + ms; performance.now() < end; );
}

/** Measures what a request waits for, synchronously or not. */
async function timed(request, work) {
  const start = performance.now();
  const result = await work();
  truths[request.url] = (truths[request.url] ?? 0) + performance.now() - start;
  return result;
}

function timedNow(request, work) {
  const start = performance.now();
  work();
  truths[request.url] = performance.now() - start;
}

/** How late a timer runs, which is how long the loop was held. */
async function late(request, ms) {
  const due = performance.now() + ms;
  await sleep(ms);
  truths[request.url] = performance.now() - due;
}

const call = (path, options = {}) =>
  new Promise((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port: PEER, path, ...options }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    request.on('error', reject);
  });

/** A pool as applications write them. */
class Pool {
  #free;
  #waiting = [];
  constructor(size) {
    this.#free = size;
  }
  async acquire() {
    if (this.#free > 0) this.#free--;
    else await new Promise((resolve) => this.#waiting.push(resolve));
  }
  release() {
    const next = this.#waiting.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}
const pool = new Pool(2);
const agent = new Agent({ keepAlive: true, maxSockets: 2 });

const fifo = join(folder, 'fifo');
execFileSync('mkfifo', [fifo]);

/** For each of three requests, a module that loads 200 others. */
const modules = [0, 1, 2].map(() => {
  const inside = mkdtempSync(join(folder, 'modules-'));
  const functions = Array.from({ length: 40 }, (_, i) => `exports.f${i} = (a) => a + ${i};`).join('\n');
  for (let i = 0; i < 200; i++) writeFileSync(join(inside, `m${i}.cjs`), functions);
  const all = Array.from({ length: 200 }, (_, i) => `require('./m${i}.cjs')`).join(';');
  writeFileSync(join(inside, 'all.cjs'), all);
  return join(inside, 'all.cjs');
});

let isBurnWanted = false;
setInterval(function refreshCache() {
  if (!isBurnWanted) return;
  isBurnWanted = false;
  burn(150);
}, 10);

const ROUTES = {
  light: () => {},
  cpu: (request) => timedNow(request, () => burn(120)),
  hog: () => burn(200),
  held: (request) => late(request, 60),
  'held-by-timer': (request) => {
    isBurnWanted = true;
    return late(request, 30);
  },
  gc: (request) =>
    timedNow(request, () => {
      for (let i = 0; i < 4; i++) collectGarbage();
      if (retained.length === 0) burn(1);
    }),
  'sync-fs': (request) => {
    timedNow(request, () => {
      execFile('sh', ['-c', `sleep 0.3; echo > ${fifo}`]);
      readFileSync(fifo);
    });
  },
  exec: (request) => timedNow(request, () => execFileSync('sleep', ['0.2'])),
  pool: async (request) => {
    await timed(request, () => pool.acquire());
    await sleep(80);
    pool.release();
  },
  agent: (request) => timed(request, () => call('/slow?ms=120', { agent })),
  pbkdf2: (request) =>
    timed(request, () =>
      Promise.all(Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 60_000, 32, 'sha256'))),
    ),
  dns: (request) => {
    const resolver = new Resolver();
    resolver.setServers([`127.0.0.1:${DNS}`]);
    return timed(request, () => resolver.resolve4('slow.example').catch(() => {}));
  },
  'slow-lookup': (request) =>
    timed(request, () =>
      call('/', {
        host: 'slow.example',
        agent: new Agent(),
        lookup: (_host, { all }, done) => {
          const found = { address: '127.0.0.1', family: 4 };
          setTimeout(() => (all ? done(null, [found]) : done(null, found.address, 4)), 300);
        },
      }),
    ),
  sleep: (request) => timed(request, () => sleep(120)),
  'n1-in-turn': async (request) => {
    for (let i = 0; i < 9; i++) await timed(request, () => call(`/item/${i}?ms=15`));
  },
  'n1-in-parallel': (request) =>
    timed(request, () => Promise.all(Array.from({ length: 9 }, (_, i) => call(`/item/${i}?ms=100`)))),
  downstream: (request) => timed(request, () => call('/slow?ms=200')),
  'slow-reader': (request, response) => {
    response.end(Buffer.alloc(30_000_000));
    return timed(request, () => new Promise((resolve) => response.on('finish', resolve)));
  },
  upload: (request) =>
    timed(request, async () => {
      for await (const chunk of request) void chunk;
    }),
  cold: (request) => timedNow(request, () => createRequire(import.meta.url)(modules.shift())),
  lock: (request) =>
    timedNow(request, () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)),
  retry: async (request) => {
    for (const ms of [50, 100, 200]) {
      if ((await call(`/flaky${request.url}`)) === 200) return;
      await timed(request, () => sleep(ms));
    }
  },
};

const server = createServer(async (request, response) => {
  const route = request.url.split('/')[1];
  if (route === 'truths') {
    response.end(JSON.stringify(truths), () => process.exit());
    return;
  }
  await ROUTES[route](request, response);
  response.end('done');
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
