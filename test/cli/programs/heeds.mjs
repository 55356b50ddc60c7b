// A program that writes an event every millisecond and says which signals it gets: `heeds.mjs [SIGNAL]...` goes on
// after those, and else ends by them, as every program does.
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Collected-Service', { Tick: event({ number: 'uint32' }) });
let number = 0;
for (const signal of process.argv.slice(2)) process.on(signal, () => console.log(`Got ${signal}`));
setInterval(() => {
  log.Tick({ number: number++ });
  if (number === 50) console.log(`Process ${process.pid} runs.`);
}, 1);
