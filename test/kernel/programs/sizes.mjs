// Events just below and just above what ftrace and perf can carry.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { until } from './tracefs.mjs';

const log = defineEventSource('Sizes', { Blob: event({ bytes: 'binary' }) });
// Header 8, metadata extension 4 + "Blob" 5 + "bytes" 6 + encoding 1, length 2.
const overhead = 26;
await until(() => log.Blob.enabled, 'the event to be enabled', 60_000);
for (let tick = 0; tick < 20; tick++) {
  log.Blob({ bytes: new Uint8Array(0) });
  await sleep(10);
}
const before = log.stats().written;
for (const size of process.argv.slice(2)) log.Blob({ bytes: new Uint8Array(Number(size) - overhead) });
console.log(JSON.stringify({ before, stats: log.stats(), problems: log.status.problems }));
