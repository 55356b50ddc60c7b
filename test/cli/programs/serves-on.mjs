// A program to record on a full disk: `serves-on.mjs [STATUS]` writes far more than fits, works on for a second, and exits.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Collected-Service', { Tick: event({ number: 'uint32', text: 'string' }) });
for (let turn = 0; turn < 50; turn++) {
  for (let number = 0; number < 100; number++) log.Tick({ number, text: crypto.randomUUID() });
  await sleep(20);
}
console.log('Served on.');
process.exit(Number(process.argv[2] ?? 7));
