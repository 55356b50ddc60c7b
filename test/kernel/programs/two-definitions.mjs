// Two threads define one provider with different events. Each writes its event once a recorder is running, which is
// when the file given as the argument exists.
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const events = isMainThread
  ? { Paid: event({ amount: 'double', currency: 'string' }) }
  : { JobDone: event({ name: 'string', steps: 'int32' }) };
const log = defineEventSource('TwoDefinitions', events);
const worker = isMainThread
  ? new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) })
  : undefined;
// The worker may be done first.
const told = worker === undefined ? undefined : once(worker, 'message');
const [name] = Object.keys(events);
await tracefs.until(() => log[name].enabled && existsSync(process.argv[2]), `${name} to be recorded`, 60_000);
log[name](isMainThread ? { amount: 9.5, currency: 'EUR' } : { name: 'mail', steps: 3 });
parentPort?.postMessage(log.status.problems);
if (told !== undefined) {
  const [problems] = await told;
  console.log(JSON.stringify([...log.status.problems, ...problems]));
}
