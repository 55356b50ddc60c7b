// An activity keeps the event loop busy, after the thread had time to notice that it is recorded.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

const log = defineEventSource('Holds-Service', { LargeStart: event({}), LargeStop: event({}) });
enableRuntimeEvents();

function keepBusy(ms) {
  let sum = 0;
  for (const end = performance.now() + ms; performance.now() < end; ) {
    for (let i = 0; i < 100_000; i++) sum += Math.sqrt(i);
  }
  return sum;
}

// V8 makes fast code of it first.
keepBusy(1000);
await sleep(1000);
await log.activity('Large', {}, async () => {
  await sleep(20);
  keepBusy(2000);
});
