/**
 * Sessions whose events are interrupted, on the main thread and on workers, by stack overflows, failing allocations and
 * termination; workers that are terminated while they write; and other sessions that start and end meanwhile.
 * `node --expose-gc sessions.mjs SECONDS SEED` goes on until it has terminated a thread, and prints what it did, and what
 * is wrong, as JSON.
 */
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { startSession } from '../../../dist/index.js';
import { Random } from '../../../scripts/fuzz/random.mjs';
import { Interruptions, newCounts, PROVIDER } from './events.mjs';
import { folder, Memory, wrongSums } from './sums.mjs';

const [seconds, seed] = process.argv.slice(2).map(Number);
const random = new Random(seed);
const memory = new Memory();
const wrong = [];
const did = { rounds: 0, sessions: 0, terminated: 0, events: 0, dropped: 0 };
const isLikely = () => random.below(2) === 0;

function start(bufferMib, mode = 'drop') {
  const output = join(folder, `${++did.sessions}.nettrace`);
  const nettraceVersion = random.of([4, 6]);
  return {
    output,
    session: startSession({
      providers: PROVIDER,
      output,
      maxBufferBytes: bufferMib * 2 ** 20,
      nettraceVersion,
      mode,
    }),
  };
}

/** @param [allCounts] of all threads, if the session has everything that they wrote */
async function stop({ output, session }, allCounts) {
  const result = await session.close();
  did.events += result.events;
  did.dropped += result.dropped;
  wrong.push(...(await wrongSums(output, result, allCounts)));
}

function startWorker(isInterrupted) {
  const counts = newCounts();
  const workerData = { counts, seed: random.below(1 << 30), isInterrupted };
  const worker = new Worker(new URL('worker.mjs', import.meta.url), { workerData });
  worker.on('error', (error) => wrong.push(`A worker failed: ${error.stack}`));
  const exited = new Promise((resolve) => worker.once('exit', resolve));
  return { worker, counts, online: new Promise((resolve) => worker.once('online', resolve)), exited };
}

async function end(workers, isTerminated) {
  for (const { worker } of workers) {
    if (isTerminated) worker.terminate();
    else worker.postMessage('end');
  }
  await Promise.all(workers.map(({ exited }) => exited));
  if (isTerminated) did.terminated += workers.length;
}

process.on('warning', ({ message }) => wrong.push(`A warning: ${message}`));
for (const until = performance.now() + seconds * 1000; performance.now() < until || did.terminated === 0; ) {
  did.rounds++;
  // A terminated thread could leave the others waiting for room.
  const mode = random.below(4) === 0 ? 'block' : 'drop';
  const whole = start(random.of([0.3, 4, 16]), mode);
  const counts = newCounts();
  const allCounts = [counts];
  const interruptions = new Interruptions(counts, random);
  for (let i = random.below(4); i >= 0; i--) {
    const around = isLikely() ? start(random.of([0.3, 2])) : undefined;
    const workers = Array.from({ length: random.below(4) }, () => startWorker(isLikely()));
    allCounts.push(...workers.map((each) => each.counts));
    await Promise.all(workers.map(({ online }) => online));
    for (let left = random.below(4); left > 0; left--) {
      interruptions.any();
      if (random.below(3) === 0) await new Promise(setImmediate);
    }
    await setTimeout(random.below(60));
    const late = isLikely() ? start(2) : undefined;
    await setTimeout(random.below(20));
    if (around !== undefined) await stop(around);
    await end(workers, mode === 'drop' && isLikely());
    if (late !== undefined) await stop(late);
  }
  await stop(whole, allCounts);
  if (did.rounds % 3 === 0) await memory.sample();
}
await memory.sample();
console.log(JSON.stringify({ seed, ...did, mostMB: memory.mostMB, grownMB: memory.growthMB, wrong }));
