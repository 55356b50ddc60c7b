// An ordinary program: concurrent requests, each an activity with a nested one and an event of its own. Waits for the
// tracer, then writes the given number of requests.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, Level } from 'tracewright';
import { until } from './tracefs.mjs';

const requests = Number(process.argv[2]);
const log = defineEventSource('MyCompany-MyService', {
  RequestStart: event({ number: 'uint32', url: 'string' }),
  RequestStop: event({ success: 'bool' }),
  QueryStart: event({ number: 'uint32' }),
  QueryStop: event({ success: 'bool' }),
  Row: event({ number: 'uint32', values: 'double[]' }, { level: Level.Verbose, keywords: 0x2n }),
  Ready: event(),
});

async function request(number) {
  await log.activity('Request', { number, url: `/${number}` }, async () => {
    await sleep(number % 3);
    await log.activity('Query', { number }, async () => {
      await null;
      log.Row({ number, values: [number, number / 2] });
    });
  });
}

await until(() => log.RequestStart.enabled && log.Row.enabled, 'the events to be enabled', 60_000);
// perf sets the enabled bit a little before it records: the first events are for finding out that it does.
for (let tick = 0; tick < 20; tick++) {
  log.Ready();
  log.Row({ number: 0xffffffff, values: [] });
  await sleep(10);
}
for (let first = 0; first < requests; first += 8) {
  const batch = Array.from({ length: Math.min(8, requests - first) }, (_, index) => first + index);
  await Promise.all(batch.map(request));
}
console.log(
  JSON.stringify({ stats: log.stats(), status: log.status, tracepoints: log.tracepoints, pid: process.pid }),
);
