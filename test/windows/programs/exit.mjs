// Exits immediately, with events defined, a listener, a running activity and a busy worker.
import { isMainThread, Worker } from 'node:worker_threads';
import { defineEventSource, event, listen } from 'tracewright';

const log = defineEventSource('MyCompany-Exit', { WorkStart: event(), WorkStop: event(), Tick: event() });
listen(log, () => {});
log.WorkStart();
setInterval(() => log.Tick(), 1);
if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url));
  worker.on('online', () => setTimeout(() => process.exit(7), 100));
}
