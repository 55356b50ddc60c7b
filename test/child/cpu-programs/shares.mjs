// Three activities take 60, 30 and 10 % of the main thread's time, in slices amid timers, files, awaits and a worker's
// replies: `shares.mjs [FILE [UNIT_MS [SLICES]]]`. Records itself into the file, unless its name is empty. Writes an
// event before and after each slice.
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { defineEventSource, event, startSession } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

const [output, unitMs = 1, slices = 40] = process.argv.slice(2);
/** Of the same work each, in a slice. */
const UNITS = { Large: 30, Medium: 15, Small: 5 };
const WORKER = `
const { parentPort } = require('node:worker_threads');
parentPort.on('message', (port) => {
  for (const end = performance.now() + 5; performance.now() < end; );
  port.postMessage('done');
});`;

const log = defineEventSource('Shares-Service', {
  LargeStart: event({}),
  LargeStop: event({}),
  MediumStart: event({}),
  MediumStop: event({}),
  SmallStart: event({}),
  SmallStop: event({}),
  Slice: event({ of: 'string' }),
});
enableRuntimeEvents();
const worker = new Worker(WORKER, { eval: true });
worker.unref();

const session = output
  ? startSession({
      providers: 'Shares-Service,Node.Runtime:10:0,Microsoft-DotNETCore-SampleProfiler:0:Informational',
      output,
    })
  : undefined;

const waits = [
  () => sleep(1),
  () => readFile(import.meta.filename),
  () => nextTurn(),
  async () => {
    for (let i = 0; i < 10; i++) await undefined;
  },
  async () => {
    const { port1, port2 } = new MessageChannel();
    worker.postMessage(port2, [port2]);
    await once(port1, 'message');
    port1.close();
  },
];

const bytes = Buffer.alloc(4096);

/** Native code: of the same JavaScript, V8 makes faster and slower code. */
function spin(rounds) {
  for (let i = 0; i < rounds; i++) createHash('sha256').update(bytes).digest();
}

/** Not by the clock, which goes on while other programs have the processor. */
function roundsPerUnit() {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < 50; i++) {
    const startedMs = performance.now();
    spin(20);
    fastestMs = Math.min(fastestMs, performance.now() - startedMs);
  }
  return (20 / fastestMs) * unitMs;
}

const rounds = roundsPerUnit();
const spins = {
  Large: function spinLarge() {
    return spin(UNITS.Large * rounds);
  },
  Medium: function spinMedium() {
    return spin(UNITS.Medium * rounds);
  },
  Small: function spinSmall() {
    return spin(UNITS.Small * rounds);
  },
};

async function work(name) {
  for (let i = 0; i < slices; i++) {
    log.Slice({ of: name });
    spins[name]();
    log.Slice({ of: '' });
    await waits[i % waits.length]();
  }
}

// The first time, each takes long.
for (const wait of waits) await wait();
await Promise.all(Object.keys(UNITS).map((name) => log.activity(name, {}, () => work(name))));
await session?.close();
console.log('{}');
process.exit();
