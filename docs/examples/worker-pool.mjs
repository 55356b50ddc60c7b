// A pool of worker threads: each job names the activity that it belongs to, and so is nested there.
import { once } from 'node:events';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { currentActivityId, defineEventSource, event } from 'tracewright';

const images = defineEventSource('MyCompany-Images', {
  UploadStart: event({ name: 'string' }),
  UploadStop: event({ success: 'bool' }),
  ResizeStart: event({ width: 'uint32' }),
  ResizeStop: event({ success: 'bool' }),
});

if (isMainThread) {
  const pool = Array.from({ length: 2 }, () => new Worker(new URL(import.meta.url)));
  const resize = async (worker, width) => {
    worker.postMessage({ width, parent: currentActivityId() });
    await once(worker, 'message');
  };
  for (const name of ['cat.png', 'dog.png']) {
    await images.activity('Upload', { name }, () =>
      Promise.all(pool.map((worker, i) => resize(worker, 100 * (i + 1)))),
    );
    console.log(name);
  }
  for (const worker of pool) worker.postMessage({ isLast: true });
} else {
  parentPort.on('message', ({ isLast, width, parent }) => {
    if (isLast) return parentPort.close();
    images.activity('Resize', { width }, { parent }, () => {});
    parentPort.postMessage('done');
  });
}
