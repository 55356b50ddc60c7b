// Sessions that enable the provider before the program defines it: what its handlers receive, in the main thread and in
// workers, immediately and later.
import { setTimeout as sleep } from 'node:timers/promises';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { defineEventSource, event } from 'tracewright';
import { providerGuid } from '../node_modules/tracewright/dist/wire/provider-guid.js';

const PROVIDER = 'Tracewright-SessionFirst';
const guid = providerGuid(PROVIDER);
const events = {
  Note: event({}, { level: 4, keywords: 0x2n }),
  Detail: event({}, { level: 5, keywords: 0x4n }),
};

function toldOf({ kind, level, anyKeyword, allKeyword, arguments: given, filter }) {
  return {
    kind,
    level,
    any: Number(anyKeyword),
    all: Number(allKeyword),
    arguments: given,
    filter: Buffer.from(filter).toString(),
  };
}

/** A source of that name, what its handler has been told since, and what is enabled. */
function definition() {
  const log = defineEventSource(PROVIDER, events);
  const heard = [];
  log.onCommand((command) => heard.push(toldOf(command)));
  const enabled = () => Object.keys(events).filter((name) => log[name].enabled);
  return { heard, enabled, atOnce: { heard: [...heard], enabled: enabled() } };
}

/** Until as many commands have come; the callers below know how many there will be. */
async function heardAll({ heard }, count) {
  while (heard.length < count) await sleep(5);
  // What is one too many would come behind them.
  await sleep(20);
}

async function inMainThread() {
  const { captureState, disable, enable } = await import('../recorder/recorder.mjs');
  enable(guid, { session: 'first', level: 4, any: 2n, all: 2n, filter: Buffer.from('key\0value\0') });
  const first = definition();
  const second = definition();
  const worker = new Worker(new URL(import.meta.url));
  const answers = [];
  worker.on('message', (answer) => answers.push(answer));
  while (answers.length === 0) await sleep(5);

  enable(guid, { session: 'second', level: 5, any: 4n });
  captureState(guid, { level: 5, any: 4n });
  disable(guid, { session: 'second' });
  disable(guid, { session: 'first' });
  for (let round = 0; round < 100; round++) {
    enable(guid, { session: 'first', level: 1, wait: false });
    disable(guid, { session: 'first', wait: false });
  }
  enable(guid, { session: 'first', level: 3 });
  await heardAll(first, 206);
  await heardAll(second, 206);
  while (answers.length === 1) await sleep(5);

  const late = definition();
  await sleep(20);
  disable(guid, { session: 'first' });
  await heardAll(late, 2);
  await heardAll(first, 207);
  const afterwards = definition();
  await sleep(20);
  console.log(
    JSON.stringify({
      first: { atOnce: first.atOnce, heard: first.heard },
      second: { atOnce: second.atOnce, heard: second.heard },
      worker: { atOnce: answers[0], heard: answers[1] },
      late: { atOnce: late.atOnce, heard: late.heard, enabled: late.enabled() },
      afterwards: { atOnce: afterwards.atOnce, heard: afterwards.heard },
    }),
  );
}

if (isMainThread) {
  await inMainThread();
} else {
  const own = definition();
  parentPort.postMessage(own.atOnce);
  await heardAll(own, 206);
  parentPort.postMessage(own.heard);
}
