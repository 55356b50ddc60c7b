// Fifty workers by default, each terminated in the middle of writing, and the tracer still works.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, Worker } from 'node:worker_threads';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const rounds = Number(process.argv[2] ?? 50);
const log = defineEventSource('Workers', {
  WorkStart: event({ number: 'uint32' }),
  WorkStop: event({ success: 'bool' }),
  Tick: event({ text: 'string' }),
});

if (isMainThread) {
  const [tracepoint] = log.tracepoints;
  tracefs.setBufferKiB(4096);
  tracefs.clear();
  tracefs.setRecorded(tracepoint, true);
  await tracefs.until(() => log.Tick.enabled, 'the event to be enabled');
  for (let round = 0; round < rounds; round++) {
    const worker = new Worker(new URL(import.meta.url));
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    await sleep(round % 7);
    await worker.terminate();
    log.Tick({ text: 'main' });
  }
  const entries = tracefs.bufferStatistic('entries') + tracefs.bufferStatistic('overrun');
  tracefs.setRecorded(tracepoint, false);
  await tracefs.until(() => !log.Tick.enabled, 'the event to be disabled');
  tracefs.setRecorded(tracepoint, true);
  await tracefs.until(() => log.Tick.enabled, 'the event to be enabled again');
  console.log(JSON.stringify({ stats: log.stats(), entries }));
} else {
  const { parentPort } = await import('node:worker_threads');
  for (let number = 0; ; number++) {
    await log.activity('Work', { number }, async () => {
      log.Tick({ text: 'worker' });
      await null;
    });
    if (number === 3) parentPort.postMessage('writing');
  }
}
