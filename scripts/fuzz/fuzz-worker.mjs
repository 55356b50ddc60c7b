/**
 * Runs inputs in sequence in a separate thread, so that its watcher can end it when one hangs. Reports the current
 * input in shared memory, and sends what it finds.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { mutated } from './mutate.mjs';
import { Random } from './random.mjs';
import { EXPECTED_ERRORS, TARGETS } from './targets.mjs';

/** Of CPU time: far more than any input of these sizes may take. */
const SLOW_MS = 1_500;
const MEMORY_LIMIT = 512 << 20;

const { dataFolder, seed, from, to, only, progress } = workerData;
const at = new Int32Array(progress);

const targets = [];
for (const target of TARGETS) {
  if (only !== undefined && target.name !== only) continue;
  const seeds = await target.seeds(dataFolder);
  targets.push({ ...target, seeds: seeds.map((bytes) => ({ bytes, parts: target.parts(bytes) })) });
}
const chosen = targets.flatMap((target) => Array.from({ length: target.weight }, () => target));

for (let number = from; number < to; number++) {
  Atomics.store(at, 0, number);
  const random = new Random(Math.imul(seed, 1_000_003) + number);
  const target = random.of(chosen);
  const { bytes, parts } = random.of(target.seeds);
  const input = mutated(bytes, parts, random);
  const problem = await problemOf(target, input);
  if (problem !== undefined) parentPort?.postMessage({ number, target: target.name, problem, input });
}
Atomics.store(at, 0, to);

async function problemOf(target, input) {
  const before = process.memoryUsage().arrayBuffers;
  const started = process.cpuUsage();
  try {
    await target.run(input);
  } catch (error) {
    if (!EXPECTED_ERRORS.includes(error?.name)) return `threw ${error?.stack ?? error}`;
  }
  const { user, system } = process.cpuUsage(started);
  const elapsed = (user + system) / 1000;
  if (elapsed > SLOW_MS) return `took ${Math.round(elapsed)} ms`;
  const grown = process.memoryUsage().arrayBuffers - before;
  return grown > MEMORY_LIMIT ? `left ${grown >> 20} MB of buffers` : undefined;
}
