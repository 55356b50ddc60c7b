// The library is first loaded, and first registers, in a worker that is older than any registration; the worker exits,
// and the tracer is switched on and off. The main thread comes last, and follows every switch.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

async function define() {
  const { defineEventSource, event } = await import('tracewright');
  return defineEventSource('WorkerOnly', { Tick: event({ from: 'string' }) });
}

if (isMainThread) {
  const tracefs = await import('./tracefs.mjs');
  const worker = (from) =>
    new Promise((resolve, reject) => {
      const started = new Worker(new URL(import.meta.url), { workerData: from });
      let answer;
      started.on('message', (message) => {
        answer = message;
        tracefs.setRecorded('WorkerOnly_L4K0', true);
      });
      started.on('error', reject);
      started.on('exit', (code) => resolve({ code, answer }));
    });
  const first = await worker('first');
  // The tracer alone holds the tracepoint now: switching it off is a write into a word of a thread that is no
  // more, if its registration was not undone, and the tracepoint's end, if it was.
  tracefs.setRecorded('WorkerOnly_L4K0', false);
  await tracefs.until(() => !tracefs.isKnown('WorkerOnly_L4K0'), 'the tracepoint to go');
  const second = await worker('second');
  const log = await define();
  const followed = [];
  for (let round = 0; round < 20; round++) {
    const on = round % 2 === 0;
    tracefs.setRecorded('WorkerOnly_L4K0', on);
    await tracefs.until(() => log.Tick.enabled === on, `switch ${round} to arrive`);
    followed.push(on);
    log.Tick({ from: 'main' });
  }
  tracefs.setRecorded('WorkerOnly_L4K0', false);
  const lines = tracefs.recordedLines().filter((line) => line.includes('WorkerOnly_L4K0'));
  console.log(
    JSON.stringify({ first, second, followed: followed.length, lines: lines.length, stats: log.stats() }),
  );
} else {
  const { until } = await import('./tracefs.mjs');
  const log = await define();
  parentPort.postMessage(log.status.backend);
  await until(() => log.Tick.enabled, 'the event to be enabled in the worker');
  log.Tick({ from: workerData });
}
