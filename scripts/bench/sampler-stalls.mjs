/**
 * How long the event loop of an application is held while a session samples its CPU: the processor time of its thread
 * from one turn of the loop to the next, as a distribution. `without` samples nothing; `V8 alone` fetches the profiles
 * of V8 as often as a session and throws them away. Prints a table.
 *
 *     node scripts/bench/sampler-stalls.mjs [--seconds 30] [--rounds 3] [--nodes 20,22,24,26]
 *
 * The application has 2,000 functions in 200 modules. In each turn it takes some of its paths through them, of which it
 * has 100 that are 10 calls deep, or 10,000 that are 20 deep. Requires dist/.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { parseArgs } from 'node:util';
import { V8Profiler } from '../../dist/eventpipe/cpu-samples/v8-profiler.js';
import { startSession } from '../../dist/index.js';
import { threadTimes } from '../../dist/platform/thread-times.js';
import { nodes } from '../nodes.mjs';

const MODULES = 200;
const FUNCTIONS_EACH = 10;
const WORK_MS = 0.5;
const PIECE_MS = 1000;
const SHAPES = [
  [100, 10],
  [10_000, 20],
];
const VARIANTS = ['without', 'V8 alone', 'a session'];

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

function startVariant(variant) {
  if (variant === 'without') return () => {};
  if (variant === 'V8 alone') {
    const profiler = new V8Profiler(1000);
    const timer = setInterval(() => profiler.take(), PIECE_MS);
    return () => {
      clearInterval(timer);
      profiler.end();
    };
  }
  const output = new Writable({ write: (_chunk, _encoding, done) => done() });
  const session = startSession({ providers: 'Microsoft-DotNETCore-SampleProfiler:0:4', output });
  return () => session.close();
}

/** Runs the application in this process, and prints the held times in milliseconds. */
async function runApplication(options) {
  const { variant, paths: count, depth, seconds, folder } = options;
  const paths = pathsThrough(folder, Number(count), Number(depth));
  /** @type {number[]} */
  const held = [];
  let at = 0;
  let before = 0;
  let isOver = false;
  const turn = () => {
    const now = threadTimes().threadCpuMSec;
    if (before > 0) held.push(now - before);
    before = now;
    const until = performance.now() + WORK_MS;
    while (performance.now() < until) {
      const path = paths[at++ % paths.length];
      path[0](path, 1);
    }
    if (!isOver) setImmediate(turn);
  };
  turn();
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  await pause(2000);
  const end = startVariant(variant);
  await pause(100);
  // The scan of all functions when V8 starts to profile happens once, and is measured apart.
  const start = Math.max(...held.splice(0).slice(-200));
  const cpuBefore = process.cpuUsage();
  await pause(Number(seconds) * 1000);
  const { user, system } = process.cpuUsage(cpuBefore);
  const during = held.splice(0);
  await end();
  await pause(100);
  console.log(JSON.stringify({ start, during, end: Math.max(...held), cpuMs: (user + system) / 1000 }));
  isOver = true;
}

function quantile(sorted, part) {
  return sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
}

function measure(options) {
  const { node, folder, seconds, rounds } = options;
  const table = [];
  for (const [paths, depth] of SHAPES) {
    /** @type {Record<string, any[]>} */
    const found = Object.fromEntries(VARIANTS.map((variant) => [variant, []]));
    for (let round = 0; round < rounds; round++) {
      for (const variant of VARIANTS) {
        const run = ['--variant', variant, '--paths', paths, '--depth', depth, '--seconds', seconds];
        const command = [import.meta.filename, ...run, '--folder', folder].map(String);
        const { stdout, stderr, status } = spawnSync(node, command, { encoding: 'utf8', maxBuffer: 2 ** 28 });
        if (status !== 0) throw new Error(`The application ended with status ${status}: ${stderr}`);
        found[variant].push(JSON.parse(stdout));
      }
    }
    for (const [variant, runs] of Object.entries(found)) {
      const all = runs.flatMap(({ during }) => during).sort((a, b) => a - b);
      const cpu = Math.min(...runs.map(({ cpuMs }) => cpuMs / Number(seconds) / 10));
      table.push({
        'paths x depth': `${paths} x ${depth}`,
        variant,
        p50: quantile(all, 0.5),
        p99: quantile(all, 0.99),
        'p99.9': quantile(all, 0.999),
        'max, each run': runs.map(({ during }) => Math.max(...during).toFixed(1)).join(' '),
        'at the start': Math.min(...runs.map(({ start }) => start)),
        'at the end': Math.min(...runs.map(({ end }) => end)),
        'CPU %': cpu,
      });
    }
  }
  return table;
}

const text = (value) => (typeof value === 'number' ? value.toFixed(1) : value);

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '3' },
    nodes: { type: 'string' },
    variant: { type: 'string' },
    paths: { type: 'string' },
    depth: { type: 'string' },
    folder: { type: 'string' },
  },
});
if (values.variant !== undefined) await runApplication(values);
else {
  const folder = mkdtempSync(join(tmpdir(), 'tracewright-sampler-bench-'));
  try {
    writeModules(folder);
    const [own] = process.versions.node.split('.');
    for (const major of (values.nodes ?? own).split(',')) {
      const node = major === own ? process.execPath : nodes[major];
      if (node === undefined)
        throw new Error(`There is no Node.js ${major}: \`node scripts/nodes.mjs\` gets it.`);
      const rows = measure({ node, folder, seconds: values.seconds, rounds: Number(values.rounds) });
      const columns = Object.keys(rows[0]);
      console.log(`\nNode.js ${major}, milliseconds\n`);
      console.log(`| ${columns.join(' | ')} |\n|${' --- |'.repeat(columns.length)}`);
      for (const row of rows) console.log(`| ${columns.map((name) => text(row[name])).join(' | ')} |`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
