// Requests as plain tracepoints, written once tools have enabled them and made the files: COUNT [FILE]...
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { until } from './tracefs.mjs';

const [count, ...files] = process.argv.slice(2);
const log = defineEventSource(
  'My-App',
  {
    RequestStart: event({ url: 'string', port: 'port', slow: 'bool', number: 'uint32', bytes: 'int64' }),
    RequestStop: event({ success: 'bool' }),
  },
  { userEventsFormat: 'plain' },
);

await until(() => log.RequestStart.enabled && log.RequestStop.enabled, 'the events to be enabled', 60_000);
await until(() => files.every((file) => existsSync(file)), 'the recorders to record', 60_000);
// perf sets the enabled bit a little before it records: the first events are for finding out that it does.
for (let tick = 0; tick < 50; tick++) {
  log.RequestStop({ success: false });
  await sleep(20);
}
for (let number = 0; number < Number(count); number++) {
  const start = { url: `/item/${number}`, port: 8080, slow: number % 10 === 0, number, bytes: -number };
  await log.activity('Request', start, () => null);
}
console.log(
  JSON.stringify({ stats: log.stats(), status: log.status, tracepoints: log.tracepoints, pid: process.pid }),
);
