// A program to watch: `paced.mjs COUNT MILLISECONDS` writes COUNT events, with a pause before each, and is then silent
// for a while, so that the last ones are shown before its end.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';

const SILENCE_MS = 1000;
const [count, pause] = process.argv.slice(2).map(Number);
const log = defineEventSource('Paced-Service', { Tick: event({ number: 'uint32' }) });

for (let number = 0; number < count; number++) {
  await sleep(pause);
  log.Tick({ number });
}
await sleep(SILENCE_MS);
