// Runs the demo's application once somebody records it: prints its tracepoints, waits until the kernel has
// switched them on, serves the requests and prints what became of the events. One line of JSON each.
import { setTimeout as delay } from 'node:timers/promises';
import { log, serveRequests } from './server.mjs';

/** Milliseconds between a tracer switching an event on and it taking the first: perf switches on early. */
const SETTLING_TIME = 500;

console.log(JSON.stringify({ tracepoints: log.tracepoints, ...log.status }));
while (!log.RequestStart.enabled) await delay(20);
await delay(SETTLING_TIME);
await serveRequests();
console.log(JSON.stringify(log.stats()));
