// The main thread and two workers write without pause, numbering their events whether enabled or not, while a session
// starts and stops a thousand times.
import { setImmediate } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Tracewright-Toggles', { Tick: event({ thread: 'uint32', number: 'uint32' }) });
const shared = workerData ?? { done: new Int32Array(new SharedArrayBuffer(4)) };

async function write(thread) {
  let number = 0;
  while (Atomics.load(shared.done, 0) === 0) {
    for (let burst = 0; burst < 20; burst++) log.Tick({ thread, number: number++ });
    await setImmediate();
  }
  return log.stats();
}

if (isMainThread) {
  const workers = [1, 2].map(
    (thread) => new Worker(new URL(import.meta.url), { workerData: { ...shared, thread } }),
  );
  const written = workers.map((worker) => new Promise((resolve) => worker.once('message', resolve)));
  const { disable, enable } = await import('../recorder/recorder.mjs');
  const toggling = (async () => {
    for (let round = 0; round < 1000; round++) {
      enable(log.guid, { wait: false });
      await setImmediate();
      disable(log.guid, { wait: round % 2 === 0 });
      await setImmediate();
    }
    Atomics.store(shared.done, 0, 1);
  })();
  const stats = [await write(0), ...(await Promise.all(written))];
  await toggling;
  console.log(JSON.stringify(stats));
} else {
  parentPort.postMessage(await write(workerData.thread));
}
