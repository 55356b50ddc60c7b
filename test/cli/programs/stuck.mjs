// A program whose event loop gets stuck soon after its start, and which would take its time to end.
import { defineEventSource, event } from 'tracewright';

const log = defineEventSource('Collected-Service', { Tick: event({ number: 'uint32' }) });
process.on('SIGTERM', () => process.exit(0));
let number = 0;
const timer = setInterval(() => {
  log.Tick({ number: number++ });
  if (number < 100) return;
  clearInterval(timer);
  console.log('Stuck.');
  // Events have had their time to go out.
  setTimeout(() => {
    for (;;);
  }, 300);
}, 1);
