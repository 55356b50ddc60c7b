// Runs the demo's application while it is recorded: prints its tracepoints, waits until the kernel has enabled them,
// serves the requests and prints what happened to the events. One line of JSON each.
import { setTimeout as delay } from 'node:timers/promises';
import { log, serveRequests } from './server.mjs';

/** Milliseconds from enabling an event to recording the first one: perf enables events early. */
const SETTLING_TIME = 500;

console.log(JSON.stringify({ tracepoints: log.tracepoints, ...log.status }));
while (!log.RequestStart.enabled) await delay(20);
await delay(SETTLING_TIME);
await serveRequests();
console.log(JSON.stringify(log.stats()));
