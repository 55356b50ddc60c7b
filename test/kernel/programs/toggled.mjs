// Another process switches the tracepoint on and off a thousand times while this one writes in bursts.
import { spawn } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import * as tracefs from './tracefs.mjs';

const log = defineEventSource('Toggled', { Tick: event({ number: 'uint32' }) });
const [tracepoint] = log.tracepoints;
tracefs.setBufferKiB(16384);
tracefs.clear();
const script = `i=0; while [ $i -lt 1000 ]; do echo 1 >enable; echo 0 >enable; i=$((i+1)); done`;
const toggler = spawn('sh', ['-c', script], {
  cwd: `${tracefs.TRACEFS}/events/user_events/${tracepoint}`,
  stdio: ['ignore', 'inherit', 'inherit'],
});
let status;
toggler.on('exit', (code) => {
  status = code;
});
let calls = 0;
while (status === undefined) {
  for (let burst = 0; burst < 500; burst++) log.Tick({ number: calls++ });
  // The machine may have one processor, and the other process wants it, too.
  await sleep(1);
}
await tracefs.until(() => !log.Tick.enabled, 'the event to be disabled');
const read = tracefs.recordedLines().length;
const overrun = tracefs.bufferStatistic('overrun');
console.log(JSON.stringify({ togglerStatus: status, calls, stats: log.stats(), read, overrun }));
