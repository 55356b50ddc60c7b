// The package in workers alone, then in the main thread, then in workers that end while it works on.
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';

async function listenToOne(text) {
  const { activityPath, defineEventSource, event, listen } = await import('tracewright');
  const log = defineEventSource('MyCompany-Workers', {
    WorkStart: event({ text: 'string' }),
    WorkStop: event({ success: 'bool', errorMessage: 'string' }),
  });
  const heard = [];
  listen(log, (written) => {
    heard.push([written.name, activityPath(written.activityId)]);
  });
  await log.activity('Work', { text }, async () => {});
  return { backend: log.status.backend, heard };
}

const inWorker = (text) =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: text });
    let answer;
    worker.on('message', (message) => {
      answer = message;
    });
    worker.on('error', reject);
    worker.on('exit', (code) => resolve({ code, ...answer }));
  });

if (isMainThread) {
  const first = await inWorker('first');
  const main = await listenToOne('main');
  const others = await Promise.all(['second', 'third'].map(inWorker));
  const again = await listenToOne('again');
  console.log(JSON.stringify({ first, main, others, again }));
} else {
  parentPort.postMessage(await listenToOne(workerData));
}
