/**
 * Feeds mutated traces to all decoders (`npm run build:ts` first), to find errors that are not ours, hangs, and
 * unbounded memory.
 *
 *     npm run fuzz -- [--inputs N] [--seed N] [--target NAME] [--from N] [--finds DIR] [--data DIR]
 *
 * Prints each find and writes it to DIR as `<target>-<seed>-<number>.bin`; `--seed S --from N --inputs 1` repeats it.
 * Exit code: 0 nothing found, 1 something found, 2 usage.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';

const HANG_MS = 20_000;
const WATCH_MS = 500;
const HEAP_MB = 512;

const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    from: { type: 'string', default: '0' },
    target: { type: 'string' },
    finds: { type: 'string', default: join(tmpdir(), 'tracewright-fuzz') },
    data: { type: 'string', default: process.env.TRACEWRIGHT_DATA ?? '' },
  },
});
if (values.data === '') {
  console.error('No data folder: give --data DIR or set TRACEWRIGHT_DATA.');
  process.exit(2);
}

const seed = Number(values.seed);
const end = Number(values.from) + Number(values.inputs);
const started = performance.now();
let next = Number(values.from);
let finds = 0;
while (next < end) next = await runFrom(next);
const seconds = (performance.now() - started) / 1000;
console.log(`${values.inputs} inputs in ${seconds.toFixed(0)} s, seed ${seed}: ${finds} finds`);
process.exitCode = finds === 0 ? 0 : 1;

/** Runs a worker until it is done or has to be ended; returns where the next one continues. */
function runFrom(from) {
  const progress = new SharedArrayBuffer(4);
  const at = new Int32Array(progress);
  at[0] = from;
  const worker = new Worker(new URL('fuzz-worker.mjs', import.meta.url), {
    workerData: { dataFolder: values.data, seed, from, to: end, only: values.target, progress },
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  });
  worker.on('message', found);
  let seen = from;
  let changedMs = performance.now();
  const watch = setInterval(() => {
    const number = Atomics.load(at, 0);
    if (number !== seen) {
      seen = number;
      changedMs = performance.now();
    } else if (performance.now() - changedMs > HANG_MS) {
      found({ number, target: 'any', problem: `hangs for more than ${HANG_MS} ms` });
      worker.terminate();
    }
  }, WATCH_MS);
  return new Promise((resolve) => {
    worker.on('error', (error) =>
      found({ number: at[0], target: 'any', problem: `died: ${error.stack ?? error}` }),
    );
    worker.on('exit', () => {
      clearInterval(watch);
      resolve(at[0] >= end ? end : at[0] + 1);
    });
  });
}

/** @param {{ number: number, target: string, problem: string, input?: Uint8Array }} find */
function found({ number, target, problem, input }) {
  finds++;
  console.log(`FIND ${target}, seed ${seed}, number ${number}: ${problem}`);
  if (input === undefined) return;
  mkdirSync(values.finds, { recursive: true });
  writeFileSync(join(values.finds, `${target}-${seed}-${number}.bin`), input);
}
