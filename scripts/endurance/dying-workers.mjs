/**
 * Workers that are terminated while they write, with sessions that start and end meanwhile; one session contains
 * everything. `node --expose-gc dying-workers.mjs [--seconds 600] [--seed N]`
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startSession } from '../../dist/index.js';
import { Random } from '../fuzz/random.mjs';
import { newCounts, PROVIDER } from './events.mjs';
import { folder, Memory, options, report, wrongSums } from './sums.mjs';

const settings = options();
const random = new Random(settings.seed);
const memory = new Memory();
const wrong = [];
const until = performance.now() + settings.seconds * 1000;
let rounds = 0;
let sessions = 0;
let deaths = 0;
let events = 0;
let dropped = 0;

function start(bufferMB) {
  const output = join(folder, `${++sessions}.nettrace`);
  const session = startSession({ providers: PROVIDER, output, bufferMB, nettraceVersion: random.of([4, 6]) });
  return { output, session };
}

async function stop({ output, session }, allCounts) {
  const result = await session.close();
  events += result.events;
  dropped += result.dropped;
  wrong.push(...(await wrongSums(output, result, allCounts)));
}

process.on('warning', ({ message }) => wrong.push(`A warning: ${message}`));
while (performance.now() < until) {
  rounds++;
  const whole = start(random.of([0.3, 4, 16]));
  const allCounts = [];
  for (let i = 0; i < 4; i++) {
    const toggled = random.below(2) === 0 ? start(random.of([0.3, 2])) : undefined;
    const workers = Array.from({ length: 1 + random.below(3) }, () => {
      const counts = newCounts();
      allCounts.push(counts);
      const workerData = { counts, seed: random.below(1 << 30), isInterrupted: random.below(2) === 0 };
      const worker = new Worker(new URL('./endurance-worker.mjs', import.meta.url), { workerData });
      worker.on('error', (error) => wrong.push(`A worker failed: ${error.stack}`));
      return worker;
    });
    await Promise.all(workers.map((worker) => new Promise((resolve) => worker.once('online', resolve))));
    await setTimeout(random.below(120));
    const late = random.below(2) === 0 ? start(2) : undefined;
    await setTimeout(random.below(20));
    if (toggled !== undefined) await stop(toggled);
    await Promise.all(workers.map((worker) => worker.terminate()));
    deaths += workers.length;
    if (late !== undefined) await stop(late);
  }
  await stop(whole, allCounts);
  if (rounds % 3 === 0) await memory.sample();
}
await memory.sample();
const what = `${deaths} workers terminated, ${sessions} sessions, ${events} events, ${dropped} dropped`;
report('dying-workers', settings, what, memory, wrong);
