// Activities that take their time for different reasons, after the thread had time to notice that it is recorded.
// Prints how long each reason lasted, in milliseconds.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

const pair = (name) => ({ [`${name}Start`]: event({}), [`${name}Stop`]: event({}) });
const log = defineEventSource(
  'Holds-Service',
  Object.assign({}, ...['Large', 'Held', 'Other', 'Late', 'Sleep', 'Lock'].map(pair)),
);
enableRuntimeEvents();

function keepBusy(ms) {
  let sum = 0;
  for (const end = performance.now() + ms; performance.now() < end; ) {
    for (let i = 0; i < 100_000; i++) sum += Math.sqrt(i);
  }
  return sum;
}

const truths = {};
async function timed(name, work) {
  const start = performance.now();
  await work();
  truths[name] = performance.now() - start;
}

/** How late its timers are, which is how long the loop was held. */
async function late(name, ms) {
  const start = performance.now();
  // The first one lets the loop know what time it is.
  await sleep(20);
  await sleep(ms);
  truths[name] = performance.now() - start - 20 - ms;
}

let isRefreshWanted = false;
setInterval(function refreshCache() {
  if (isRefreshWanted) keepBusy(600);
  isRefreshWanted = false;
}, 20).unref();

// V8 makes fast code of it first.
keepBusy(1000);
await sleep(1000);
await log.activity('Large', {}, async () => {
  await sleep(20);
  await timed('Large', () => keepBusy(2000));
});
await sleep(300);
const held = log.activity('Held', {}, () => late('Held', 200));
await sleep(120);
log.activity('Other', {}, () => keepBusy(800));
await held;
await sleep(300);
isRefreshWanted = true;
await log.activity('Late', {}, () => late('Late', 50));
await sleep(300);
await log.activity('Sleep', {}, async () => {
  await sleep(20);
  await timed('Sleep', () => sleep(500));
});
await log.activity('Lock', {}, () =>
  timed('Lock', () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400)),
);
console.log(JSON.stringify(truths));
