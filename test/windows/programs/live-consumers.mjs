// Several consumers of one session in real time: a playback, a worker that is terminated while it waits, and one that
// gives up after the first chunk; and one that has room for the events of one processor only, and takes them at the
// end; and one that closes while there is nothing to get. Prints what the playback and the last one got, and how long the
// close took.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { defineEventSource, event } from 'tracewright';
import { etwEventsOf } from 'tracewright/etw';
import { Playback, TraceEvent } from 'tracewright/playback';
import { EtwConsumer } from '../node_modules/tracewright/dist/platform/etw-consumer.js';
import { addSession, endSession, settle } from '../recorder/recorder.mjs';

const log = defineEventSource('Live', { Step: event({ number: 'uint32' }) });
addSession('Shared', '', { realTimeOf: log.guid });
settle();

const code = `
  const { parentPort } = require('node:worker_threads');
  const chunks = require('tracewright/etw').etwEventsOf('Shared')[Symbol.asyncIterator]();
  chunks.next().then(async () => {
    parentPort.postMessage('consumes');
    for (;;) await chunks.next();
  });`;
const worker = new Worker(code, { eval: true });
await new Promise((resolve) => worker.once('message', resolve));

const numbers = [];
const playback = new Playback().addTrace(etwEventsOf('Shared'));
playback.getObservable(log.Step).subscribe(({ payload }) => numbers.push(payload.number));
let events = 0;
playback.getObservable(TraceEvent).subscribe(() => events++);
const playing = playback.start();

for await (const _header of etwEventsOf('Shared')) break;
const logged = (op) =>
  readFileSync(process.env.TRACEWRIGHT_ETW_LOG, 'utf8')
    .split('\n')
    .filter((line) => line.includes(`"op":"${op}"`))
    .map((line) => JSON.parse(line).trace);
/** A consumer whose ProcessTrace runs. */
async function running() {
  const consumer = new EtwConsumer('Shared', 100 << 10);
  const trace = logged('openTrace').at(-1);
  while (!logged('processTrace').includes(trace)) await pause(5);
  return consumer;
}
const quiet = await running();
const asked = performance.now();
quiet.close();
const closingMs = performance.now() - asked;
const slow = await running();
for (let number = 1; number <= 50; number++) log.Step({ number });
const exitCode = await worker.terminate();
for (let number = 51; number <= 100; number++) log.Step({ number });
endSession('Shared');
await playing.finished;
// They have got everything when their ProcessTrace has returned.
while (logged('processTraceDone').length < logged('processTrace').length) await pause(5);
const last = slow.take();
slow.close();
let refusal;
try {
  for await (const _chunk of etwEventsOf('None')) void 0;
} catch (error) {
  refusal = error.message;
}
console.log(
  JSON.stringify({ numbers, events, exitCode, refusal, slow: [last.events, last.dropped], closingMs }),
);
