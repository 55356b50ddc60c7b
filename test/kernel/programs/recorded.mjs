// A program to be recorded from its first event on: `recorded.mjs COUNT [SECONDS]` writes COUNT events of one
// tracepoint and a tenth of it of another, again and again until the time is over. Prints what it has written.
import { defineEventSource, event, Level } from 'tracewright';

const count = Number(process.argv[2]);
const end = performance.now() + 1000 * Number(process.argv[3] ?? 0);
const log = defineEventSource('Recorded-Service', {
  Tick: event({ number: 'uint32', text: 'string' }),
  Tenth: event({ number: 'uint32' }, { level: Level.Verbose, keywords: 0x2n }),
});

let number = 0;
do {
  for (const last = number + count; number < last; number++) {
    log.Tick({ number, text: `event ${number}` });
    if (number % 10 === 0) log.Tenth({ number });
  }
} while (performance.now() < end);
console.log(JSON.stringify({ stats: log.stats(), pid: process.pid }));
process.exitCode = 3;
