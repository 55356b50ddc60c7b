// A program to be sampled while it writes events: `busy-events.mjs SECONDS` computes in functions with known names, and
// writes an event before and after each round. Prints how many rounds, and its process id.
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Busy-Service', { Round: event({ number: 'uint32' }) });

function hotFunction(count) {
  let sum = 0;
  for (let i = 0; i < count; i++) sum += Math.sqrt((i * 7) % 13);
  return sum;
}

function warmFunction(count) {
  let sum = 0;
  for (let i = 0; i < 10; i++) sum += hotFunction(count);
  return sum;
}

const end = performance.now() + 1000 * Number(process.argv[2]);
let number = 0;
for (; performance.now() < end; number++) {
  log.Round({ number });
  warmFunction(10_000);
}
log.Round({ number });
console.log(JSON.stringify({ rounds: number, pid: process.pid }));
