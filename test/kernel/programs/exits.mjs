// process.exit in the middle of writing, several times; each time, the tracepoint is removed with the process.
import { spawnSync } from 'node:child_process';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

if (process.argv[2] === 'child') {
  const log = defineEventSource('Exits', { Tick: event({ number: 'uint32' }) });
  tracefs.setRecorded('Exits_L4K0', true);
  await tracefs.until(() => log.Tick.enabled, 'the event to be enabled');
  // In the middle of making the payload of one.
  for (let number = 0; ; number++) log.Tick(() => (number === 1000 ? process.exit(42) : { number }));
}
const statuses = [];
for (let round = 0; round < 5; round++) {
  const child = spawnSync(process.execPath, [import.meta.filename, 'child'], { stdio: 'inherit' });
  statuses.push(child.status);
  tracefs.setRecorded('Exits_L4K0', false);
  await tracefs.until(() => !tracefs.isKnown('Exits_L4K0'), 'the tracepoint to go');
}
console.log(JSON.stringify({ statuses }));
