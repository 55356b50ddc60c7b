/**
 * A worker thread that follows orders, and writes numbered events meanwhile. It answers each message with the same
 * message once it has followed it.
 */
import { createHook } from 'node:async_hooks';
import { parentPort, workerData } from 'node:worker_threads';

const { name = 'Session-Workers' } = workerData ?? {};
let log;

async function load() {
  const { defineEventSource, event } = await import('../../../dist/cjs/index.mjs');
  log = defineEventSource(name, {
    Ping: event({ n: 'int32' }),
    Loud: event({ n: 'int32' }, { level: 2, keywords: 0x2n }),
    RequestStart: event({ n: 'int32' }),
    RequestStop: event(),
    Large: event({ text: 'string' }),
  });
  log.onCommand(({ kind, arguments: args }) => parentPort.postMessage({ heard: kind, args }));
}

const orders = {
  load,
  /** So many, without returning to the event loop. */
  write({ from = 0, count }) {
    for (let n = from; n < from + count; n++) log.Ping({ n });
  },
  /** Writes, and says what Node.js has made for that. */
  writeAndTell(order) {
    const { count } = order;
    order.made = [];
    const hook = createHook({ init: (_id, type) => void order.made.push(type) }).enable();
    orders.write({ count });
    hook.disable();
  },
  /** For ever, until the thread is terminated. */
  writeOn() {
    for (let n = 0; ; n++) log.Ping({ n });
  },
  kinds({ n }) {
    log.Ping({ n });
    log.Loud({ n });
    log.write('Own', { n });
    log.activity('Request', { n }, () => log.Ping({ n }));
  },
  large({ size }) {
    log.Large({ text: 'x'.repeat(size) });
  },
  /** Writes, and blocks its event loop from then on. */
  block({ count, done }) {
    orders.write({ count });
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
    for (;;);
  },
  /** Writes, and wakes up who waits. */
  writeAndWake({ count, done }) {
    orders.write({ count });
    Atomics.store(done, 0, 1);
    Atomics.notify(done, 0);
  },
  exit: () => process.exit(),
};

parentPort.on('message', async (order) => {
  await orders[order.do](order);
  parentPort.postMessage(order);
});
if (!workerData?.isLate) {
  await load();
  parentPort.postMessage({ do: 'load' });
}
