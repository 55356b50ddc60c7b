// Ends at once, with events defined, a listener, an activity under way and a worker at work.
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
