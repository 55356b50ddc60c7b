// A program with a flight recorder: `fails.mjs FOLDER heap|exception|exceptions|workers`. With `heap`, it leaks until it runs
// out of memory; with `exceptions`, it survives many; with `workers`, its worker thread fails, has errors and is slow.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { defineEventSource, event, Level } from 'tracewright';
import { startFlightRecorder } from 'tracewright/diagnostics';

const [folder, what] = process.argv.slice(2);
const log = defineEventSource('Failing-Service', {
  Leaked: event({ megabytes: 'uint32' }),
  RequestStart: event({ n: 'uint32' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  Broken: event({ n: 'uint32' }, { level: Level.Error }),
});
const TRIGGERS = {
  heap: { heap: 0.5 },
  exception: { uncaughtException: true },
  failure: { failure: true },
  error: { error: true },
  slow: { slow: { Request: 100 } },
};
const FAILURES = {
  failure: () =>
    log.activity('Request', { n: 4 }, () => Promise.reject(new Error('expected'))).catch(() => {}),
  error: () => log.Broken({ n: 3 }),
  slow: () => log.activity('Request', { n: 2 }, () => sleep(150)),
};

function start(trigger) {
  return startFlightRecorder({ providers: 'Failing-Service', folder, ...TRIGGERS[trigger] });
}

function leak() {
  const leaked = [];
  setInterval(() => {
    leaked.push(new Array(2 ** 17).fill(0));
    log.Leaked({ megabytes: leaked.length });
  }, 30);
}

/** One trigger after the other: what one finds must not be what another has found. */
async function failInWorker() {
  const worker = new Worker(new URL(import.meta.url));
  await new Promise((resolve) => worker.once('message', resolve));
  for (const trigger of Object.keys(FAILURES)) {
    const recorder = start(trigger);
    worker.postMessage(trigger);
    while (recorder.dumps.length === 0) await sleep(5);
    await recorder.close();
    console.log(JSON.stringify(recorder.dumps));
  }
  await worker.terminate();
}

function failHere() {
  const recorder = start(what);
  if (what === 'heap') return leak();
  process.on('exit', () => console.log(JSON.stringify(recorder.dumps)));
  log.Leaked({ megabytes: 0 });
  setImmediate(() => {
    throw new Error('Nobody catches this.');
  });
}

/** Everything that can be thrown, each several times, by an application that handles it and goes on. */
async function survive() {
  const recorder = startFlightRecorder({
    providers: 'Failing-Service',
    folder,
    uncaughtException: true,
    dumpsPerHour: 2,
  });
  let handled = 0;
  process.on('uncaughtException', () => handled++);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const fail = () => {
    throw new Error('unreadable');
  };
  const thrown = [
    Object.create(null),
    Symbol('thrown'),
    { toString: fail, [Symbol.toPrimitive]: fail },
    Object.defineProperty(new Error('getter'), 'message', { get: fail }),
    proxy,
    new Error('x'.repeat(1e6)),
    undefined,
    () => {},
  ];
  for (let round = 0; round < 5; round++) {
    for (const value of thrown) {
      setImmediate(() => {
        throw value;
      });
    }
  }
  while (handled < 5 * thrown.length) await sleep(5);
  console.log(JSON.stringify(recorder.dumps));
  console.log(`${handled} handled, ${recorder.skipped} skipped`);
  await recorder.close();
}

if (!isMainThread) {
  parentPort.on('message', async (trigger) => {
    while (!log.isEnabled()) await sleep(1);
    log.activity('Request', { n: 1 }, () => {});
    await FAILURES[trigger]();
  });
  parentPort.postMessage('ready');
} else if (what === 'workers') await failInWorker();
else if (what === 'exceptions') await survive();
else failHere();
