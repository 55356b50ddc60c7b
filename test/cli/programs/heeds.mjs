// A program that writes an event every millisecond and reports the signals it receives: `heeds.mjs [SIGNAL]...`
// continues after these, and is ended by others, like any program.
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Collected-Service', { Tick: event({ number: 'uint32' }) });
let number = 0;
for (const signal of process.argv.slice(2)) process.on(signal, () => console.log(`Got ${signal}`));
setInterval(() => {
  log.Tick({ number: number++ });
  if (number === 50) console.log(`Process ${process.pid} runs.`);
}, 1);
