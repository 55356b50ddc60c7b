// With --expose-gc: collects garbage once inside an activity, and prints what V8 reported. Also as a worker thread:
// `gc.mjs worker`.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker } from 'node:worker_threads';
import { defineEventSource, event, listen } from 'tracewright';
import { RuntimeKeywords } from 'tracewright/runtime';
import { printEvents } from './print-events.mjs';

if (isMainThread && process.argv[2] === 'worker') {
  await sleep(200);
  new Worker(new URL(import.meta.url));
} else {
  const log = defineEventSource('Runtime-Test', {
    CollectStart: event(),
    CollectStop: event({ success: 'bool', errorMessage: 'string' }),
  });
  listen(log, () => {});
  await log.activity('Collect', {}, async () => {
    printEvents(RuntimeKeywords.GC);
    console.log(JSON.stringify({ before: String(process.hrtime.bigint()) }));
    globalThis.gc();
    console.log(JSON.stringify({ after: String(process.hrtime.bigint()) }));
    await sleep(50);
  });
}
