/**
 * How late a server's event loop is while its CPU is sampled, for a timer of 1 ms, as `monitorEventLoopDelay` counts it.
 * `without` samples nothing; `V8 alone` fetches V8's profile every second and throws it away; `collect --cpu` is the
 * command. Prints a table.
 *
 *     node scripts/bench/sampler-stalls.mjs [--seconds 30] [--rounds 1] [--nodes 20,22,24,26]
 *
 * The server has 2,000 functions in 200 modules. Each request takes some of its paths through them, of which it has 100
 * that are 10 calls deep, or 10,000 that are 20 deep. Requires dist/.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Session } from 'node:inspector';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs, promisify } from 'node:util';
import { nodes } from '../nodes.mjs';
import { openConnections, REQUEST } from './servers/client.mjs';
import { forkServer } from './servers/index.mjs';
import { markdownTable } from './table.mjs';

const MODULES = 200;
const FUNCTIONS_EACH = 10;
const PATHS_EACH = 10;
const PIECE_MS = 1000;
const SHAPES = [
  [100, 10],
  [10_000, 20],
];
const VARIANTS = ['without', 'V8 alone', 'collect --cpu'];
const CONNECTIONS = 4;
const REQUESTS_PER_SECOND = 1500;
const BATCH_MS = 2;
const WARM_UP_MS = 2000;
const SETTLE_MS = 100;
const NS_PER_MS = 1e6;

/** Modules whose functions call the next one of a path. */
function writeModules(folder) {
  for (let module = 0; module < MODULES; module++) {
    const functions = Array.from({ length: FUNCTIONS_EACH }, (_, i) => {
      return `exports.step${i} = function step${module}_${i}(path, at) {\n  return at === path.length ? work() : path[at](path, at + 1) + ${i};\n};`;
    });
    const work =
      'function work() {\n  let sum = 0;\n  for (let i = 0; i < 3000; i++) sum += Math.sqrt(i);\n  return sum;\n}';
    writeFileSync(join(folder, `module-${module}.cjs`), `${work}\n${functions.join('\n')}\n`);
  }
}

/** The same pseudo-random paths in every run. */
function pathsThrough(folder, count, depth) {
  const require = createRequire(join(folder, 'index.cjs'));
  const steps = Array.from({ length: MODULES }, (_, i) => Object.values(require(`./module-${i}.cjs`))).flat();
  let seed = 1;
  const next = () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return steps[(seed >> 8) % steps.length];
  };
  return Array.from({ length: count }, () => Array.from({ length: depth }, next));
}

/** @returns ends it */
function profileWithV8() {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.setSamplingInterval', { interval: 1000 });
  session.post('Profiler.start');
  const timer = setInterval(() => {
    session.post('Profiler.stop', () => session.post('Profiler.start'));
  }, PIECE_MS);
  return () => {
    clearInterval(timer);
    session.disconnect();
  };
}

/**
 * The server, in this process. It sends its port, begins to count when told the variant, and sends its delays at the end.
 * @param {Record<string, any>} options
 */
async function serve({ folder, paths: count, depth }) {
  const { enableDiagnostics } = await import('../../dist/diagnostics/index.js');
  enableDiagnostics();
  const paths = pathsThrough(folder, Number(count), Number(depth));
  let at = 0;
  const server = createServer((_request, response) => {
    let sum = 0;
    for (let i = 0; i < PATHS_EACH; i++) {
      const path = paths[at++ % paths.length];
      sum += path[0](path, 1);
    }
    response.end(String(sum));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  process.send?.(port);
  const delays = monitorEventLoopDelay({ resolution: 1 });
  let end = () => {};
  process.on('message', (message) => {
    if (message === 'end') {
      delays.disable();
      end();
      const [p50, p99, p999, longest] = [50, 99, 99.9, 100].map(
        (part) => delays.percentile(part) / NS_PER_MS,
      );
      process.send?.({ p50, p99, p999, longest }, () => process.exit());
    } else {
      delays.enable();
      // Delays count from the next turns on, and the first scan is to be among them.
      setTimeout(() => {
        if (message === 'V8 alone') end = profileWithV8();
      }, SETTLE_MS);
    }
  });
}

/**
 * Asks the server evenly, whether or not it has answered, until aborted.
 * @param {AbortSignal} signal
 */
async function load(port, signal) {
  const sockets = await openConnections(port, CONNECTIONS);
  for (const socket of sockets) socket.resume();
  const each = (REQUESTS_PER_SECOND * BATCH_MS) / 1000;
  let due = performance.now();
  for (let i = 0; !signal.aborted; ) {
    for (let request = 0; request < each; request++) sockets[i++ % CONNECTIONS].write(REQUEST);
    due += BATCH_MS;
    await sleep(Math.max(0, due - performance.now()));
  }
  for (const socket of sockets) socket.destroy();
}

async function measureOnce({ node, folder, variant, paths, depth, seconds }) {
  const args = ['--serve', '--paths', paths, '--depth', depth, '--folder', folder].map(String);
  const { child, port } = await forkServer(import.meta.filename, args, { execPath: node });
  const enough = new AbortController();
  const loaded = load(port, enough.signal);
  await sleep(WARM_UP_MS);
  child.send(variant);
  if (variant === 'collect --cpu') {
    const cli = join(import.meta.dirname, '../../dist/cjs/cli.cjs');
    const output = join(folder, 'collected.nettrace');
    const args = ['collect', '--cpu', '-p', String(child.pid), '--duration', `${seconds}s`, '-o', output];
    await promisify(execFile)(process.execPath, [cli, ...args]);
  } else await sleep(seconds * 1000);
  enough.abort();
  await loaded;
  child.send('end');
  const [delays] = await once(child, 'message');
  return delays;
}

async function measure({ node, folder, seconds, rounds }) {
  const table = [];
  for (const [paths, depth] of SHAPES) {
    /** @type {Record<string, any[]>} */
    const found = Object.fromEntries(VARIANTS.map((variant) => [variant, []]));
    for (let round = 0; round < rounds; round++) {
      for (const variant of VARIANTS) {
        found[variant].push(await measureOnce({ node, folder, variant, paths, depth, seconds }));
      }
    }
    for (const [variant, runs] of Object.entries(found)) {
      const least = (name) => Math.min(...runs.map((run) => run[name]));
      table.push({
        'paths x calls': `${paths.toLocaleString('en')} x ${depth}`,
        variant,
        '50 %': least('p50'),
        '99 %': least('p99'),
        '99.9 %': least('p999'),
        'longest, each run': runs.map(({ longest }) => longest.toFixed(0)).join(' '),
      });
    }
  }
  return table;
}

const text = (value) => (typeof value === 'number' ? value.toFixed(1) : value);

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '1' },
    nodes: { type: 'string' },
    serve: { type: 'boolean', default: false },
    paths: { type: 'string' },
    depth: { type: 'string' },
    folder: { type: 'string' },
  },
});
if (values.serve) await serve(values);
else {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-sampler-bench-'));
  try {
    writeModules(folder);
    const [own] = process.versions.node.split('.');
    for (const major of (values.nodes ?? own).split(',')) {
      const node = major === own ? process.execPath : nodes[major];
      if (node === undefined)
        throw new Error(`There is no Node.js ${major}: \`node scripts/nodes.mjs\` gets it.`);
      const rows = await measure({
        node,
        folder,
        seconds: Number(values.seconds),
        rounds: Number(values.rounds),
      });
      const columns = Object.keys(rows[0]);
      console.log(`\nNode.js ${major}, milliseconds\n`);
      console.log(markdownTable([columns, ...rows.map((row) => columns.map((name) => text(row[name])))]));
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
