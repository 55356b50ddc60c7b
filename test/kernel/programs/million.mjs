// Writes a million events while ftrace records into a ring buffer far too small for them, and compares the source's
// counts with those of the ring buffer.
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const count = Number(process.argv[2]);
const log = defineEventSource('Million', { Tick: event({ number: 'uint32', text: 'string' }) });
const [tracepoint] = log.tracepoints;
tracefs.setBufferKiB(512);
tracefs.clear();
tracefs.setRecorded(tracepoint, true);
await tracefs.until(() => log.Tick.enabled, 'the event to be enabled');
for (let number = 0; number < count; number++) log.Tick({ number, text: 'tick' });
tracefs.setRecorded(tracepoint, false);
const read = tracefs.recordedLines().filter((line) => line.includes(tracepoint)).length;
console.log(
  JSON.stringify({
    stats: log.stats(),
    read,
    overrun: tracefs.bufferStatistic('overrun'),
    dropped: tracefs.bufferStatistic('dropped events'),
  }),
);
