/**
 * A session of the main thread and four workers that write 50,000 events per second together, and how late timers are
 * with and without it. `node load.mjs SECONDS` prints figures, and what is wrong, as JSON.
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { startSession } from '../../../dist/index.js';
import { Interruptions, newCounts, PROVIDER } from './events.mjs';
import { folder, wrongSums } from './sums.mjs';

const WORKERS = 4;
/** Events per second and thread. */
const RATE = 50_000 / (WORKERS + 1);
/** How often a thread writes its share. */
const INTERVAL_MS = 5;
const MIB = 2 ** 20;

async function write(counts, seconds) {
  const events = new Interruptions(counts);
  const start = performance.now();
  let written = 0;
  for (;;) {
    const elapsed = performance.now() - start;
    for (const due = Math.min(elapsed, seconds * 1000) * (RATE / 1000); written < due; written++)
      events.ping();
    if (elapsed >= seconds * 1000) return;
    await sleep(INTERVAL_MS);
  }
}

/** All threads write. */
async function underLoad(workers, seconds) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let rss = 0;
  const watch = setInterval(() => {
    rss = Math.max(rss, process.memoryUsage.rss());
  }, 100);
  const allCounts = Array.from({ length: WORKERS + 1 }, newCounts);
  const others = workers.map((worker, i) => {
    worker.postMessage({ counts: allCounts[i], seconds });
    return new Promise((resolve) => worker.once('message', resolve));
  });
  await Promise.all([write(allCounts[WORKERS], seconds), ...others]);
  clearInterval(watch);
  delays.disable();
  const shown = [delays.percentile(50), delays.percentile(99), delays.max].map((ns) => (ns / 1e6).toFixed(1));
  return { allCounts, rssMB: Math.round(rss / MIB), delayMs: shown.map(Number) };
}

async function measure(seconds) {
  const workers = Array.from(
    { length: WORKERS },
    () => new Worker(new URL(import.meta.url), { workerData: 1 }),
  );
  const without = await underLoad(workers, Math.min(seconds, 10));
  const output = join(folder, 'load.nettrace');
  const session = startSession({ providers: PROVIDER, output });
  await sleep(200);
  const during = await underLoad(workers, seconds);
  const result = await session.close();
  const megabytes = statSync(output).size / 1e6;
  const wrong = await wrongSums(output, result, during.allCounts);
  for (const worker of workers) worker.terminate();
  const { events, dropped } = result;
  const rssMB = { without: without.rssMB, during: during.rssMB };
  const delayMs = { without: without.delayMs, during: during.delayMs };
  console.log(JSON.stringify({ events, dropped, megabytes, rssMB, delayMs, wrong }));
}

if (isMainThread) await measure(Number(process.argv[2]));
else if (workerData === 1) {
  parentPort?.on('message', async ({ counts, seconds }) => {
    await write(counts, seconds);
    parentPort?.postMessage('done');
  });
}
