/**
 * A session of the main thread and its worker threads under load for a long time: whether every event is in the file or
 * counted, how much memory it takes, and how late timers are with and without it. Prints JSON.
 *
 *     node scripts/bench/session-endurance.mjs [--seconds 20] [--rate 50000] [--workers 4] [--mode drop]
 *
 * The rate is for all threads together. Requires dist/.
 */
import { rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { defineEventSource, event, startSession } from 'tracewright';
import { openTrace } from 'tracewright/trace';

/** How often a thread writes its share. */
const INTERVAL_MS = 5;
const NS_PER_MS = 1e6;

const log = defineEventSource('Bench-Endurance', {
  Request: event({ n: 'uint32', url: 'string', ok: 'bool' }),
});

/** Writes events at the rate until the time is up. @returns their number */
async function write(rate, seconds) {
  const start = performance.now();
  let n = 0;
  for (;;) {
    const elapsed = performance.now() - start;
    const due = Math.min(elapsed, seconds * 1000) * (rate / 1000);
    while (n < due) log.Request({ n: n++, url: '/api/orders/17', ok: true });
    if (elapsed >= seconds * 1000) return n;
    await sleep(INTERVAL_MS);
  }
}

if (isMainThread) await main();
else await work();

async function work() {
  parentPort?.on('message', async (seconds) => {
    parentPort?.postMessage(seconds === 0 ? process.exit() : await write(workerData.rate, seconds));
  });
  parentPort?.postMessage('ready');
}

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '20' },
      rate: { type: 'string', default: '50000' },
      workers: { type: 'string', default: '4' },
      mode: { type: 'string', default: 'drop' },
    },
  });
  const seconds = Number(values.seconds);
  const rate = Number(values.rate) / (Number(values.workers) + 1);
  const workers = Array.from(
    { length: Number(values.workers) },
    () => new Worker(new URL(import.meta.url), { workerData: { rate } }),
  );
  await Promise.all(workers.map(answer));

  const without = await underLoad(workers, rate, Math.min(seconds, 10));
  const output = join(tmpdir(), `tracewright-endurance-${process.pid}.nettrace`);
  const session = startSession({
    providers: 'Bench-Endurance',
    output,
    mode: /** @type {any} */ (values.mode),
  });
  await sleep(200);
  const rssBefore = process.memoryUsage.rss();
  const during = await underLoad(workers, rate, seconds);
  const { events, dropped, problem } = await session.close();
  for (const worker of workers) worker.postMessage(0);

  const written = during.written;
  const size = statSync(output).size;
  const read = await inFile(output);
  rmSync(output);
  const result = {
    seconds,
    threads: workers.length + 1,
    written,
    events,
    dropped,
    problem,
    inFile: read.events,
    lostByFile: read.lost,
    outOfOrder: read.outOfOrder,
    isComplete: written === events + dropped && events === read.events && dropped === read.lost,
    bytes: size,
    rssBeforeMB: megabytes(rssBefore),
    rssMaxMB: megabytes(during.rssMax),
    delayMs: { without: without.delayMs, during: during.delayMs },
  };
  console.log(JSON.stringify(result, undefined, 2));
  process.exitCode = result.isComplete && result.outOfOrder === 0 ? 0 : 1;
}

/** All threads write. @returns the number of events, and the figures */
async function underLoad(workers, rate, seconds) {
  const delays = monitorEventLoopDelay({ resolution: 1 });
  delays.enable();
  let rssMax = 0;
  const watch = setInterval(() => {
    rssMax = Math.max(rssMax, process.memoryUsage.rss());
  }, 100);
  const counts = await Promise.all([
    write(rate, seconds),
    ...workers.map((worker) => {
      worker.postMessage(seconds);
      return answer(worker);
    }),
  ]);
  clearInterval(watch);
  delays.disable();
  const [p50, p99, max] = [delays.percentile(50), delays.percentile(99), delays.max].map((ns) =>
    Number((ns / NS_PER_MS).toFixed(2)),
  );
  return { written: counts.reduce((sum, count) => sum + count, 0), rssMax, delayMs: { p50, p99, max } };
}

function answer(worker) {
  return new Promise((resolve) => worker.once('message', resolve));
}

async function inFile(path) {
  const trace = await openTrace(path);
  const next = new Map();
  let events = 0;
  let outOfOrder = 0;
  for await (const batch of trace.batches()) {
    for (const { threadId, payload } of batch) {
      events++;
      const n = Number(payload.n);
      if (n < (next.get(threadId) ?? 0)) outOfOrder++;
      next.set(threadId, n + 1);
    }
  }
  return { events, lost: trace.lostEvents, outOfOrder };
}

function megabytes(bytes) {
  return Math.round(bytes / 2 ** 20);
}
