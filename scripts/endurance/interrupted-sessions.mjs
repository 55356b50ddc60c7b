/**
 * Consecutive sessions whose events are interrupted on the main thread and on workers: by stack overflows, failing
 * allocations and termination. `node --expose-gc interrupted-sessions.mjs [--seconds 600] [--seed N]`
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { startSession } from '../../dist/index.js';
import { Random } from '../fuzz/random.mjs';
import { Interruptions, newCounts, PROVIDER } from './events.mjs';
import { folder, Memory, options, report, wrongSums } from './sums.mjs';

const settings = options();
const random = new Random(settings.seed);
const memory = new Memory();
const wrong = [];
const until = performance.now() + settings.seconds * 1000;
let sessions = 0;
let events = 0;
let dropped = 0;

process.on('warning', ({ message }) => wrong.push(`A warning: ${message}`));
while (performance.now() < until) {
  const counts = newCounts();
  const interruptions = new Interruptions(counts, random);
  const output = join(folder, `${++sessions}.nettrace`);
  const isBlocking = random.below(4) === 0;
  const session = startSession({
    providers: PROVIDER,
    output,
    nettraceVersion: random.of([4, 6]),
    bufferMB: random.of([0.3, 2, 16]),
    mode: isBlocking ? 'block' : 'drop',
  });
  const workers = Array.from({ length: random.below(3) }, () => {
    const workerCounts = newCounts();
    const seed = random.below(1 << 30);
    const workerData = { counts: workerCounts, seed, isInterrupted: true };
    const worker = new Worker(new URL('./endurance-worker.mjs', import.meta.url), { workerData });
    worker.on('error', (error) => wrong.push(`A worker failed: ${error.stack}`));
    return { worker, counts: workerCounts, exited: new Promise((resolve) => worker.once('exit', resolve)) };
  });
  if (workers.length > 0)
    await Promise.all(workers.map(({ worker }) => new Promise((r) => worker.once('online', r))));
  for (let i = random.below(12); i >= 0; i--) {
    interruptions.any();
    if (random.below(3) === 0) await new Promise(setImmediate);
  }
  for (const { worker } of workers) worker.postMessage('end');
  await Promise.all(workers.map(({ exited }) => exited));
  const result = await session.close();
  events += result.events;
  dropped += result.dropped;
  wrong.push(...(await wrongSums(output, result, [counts, ...workers.map((each) => each.counts)])));
  if (sessions % 5 === 0) await memory.sample();
}
await memory.sample();
report(
  'interrupted-sessions',
  settings,
  `${sessions} sessions, ${events} events, ${dropped} dropped`,
  memory,
  wrong,
);
