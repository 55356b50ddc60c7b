/**
 * The application with the port that port-neighbour.mjs attacks: it writes numbered events while somebody wants them.
 * `application.mjs MILLISECONDS` only lives for that long, as a command to collect.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { enableDiagnostics } from 'tracewright/diagnostics';

const INTERVAL_MS = 5;
const log = defineEventSource(process.env.TRACEWRIGHT_PROVIDER ?? 'Endurance-Command', {
  Ping: event({ n: 'uint32', text: 'string' }),
});
const [lifetime] = process.argv.slice(2);
if (lifetime !== undefined) {
  log.Ping({ n: 0, text: '' });
  await sleep(Number(lifetime));
} else {
  const { address } = enableDiagnostics();
  let written = 0;
  let longestDelay = 0;
  let timer;
  const answers = {
    /** From when the session that must contain all of them exists. */
    write: async ({ rate }) => {
      while (!log.isEnabled()) await sleep(10);
      const begin = performance.now();
      let last = begin;
      timer = setInterval(() => {
        const now = performance.now();
        longestDelay = Math.max(longestDelay, now - last - INTERVAL_MS);
        last = now;
        const due = ((now - begin) / 1000) * rate;
        while (written < due) log.Ping({ n: written++, text: '/api/orders/17' });
      }, INTERVAL_MS);
    },
    stop: () => clearInterval(timer),
    state: () => globalThis.gc?.(),
  };
  process.on('message', async (/** @type {any} */ message) => {
    await answers[message.question](message);
    process.send?.(state());
  });
  process.send?.({ address });

  function state() {
    const { rss, heapUsed } = process.memoryUsage();
    const descriptors = readdirSync('/proc/self/fd').length;
    return { written, longestDelay: Math.round(longestDelay), rss, heap: heapUsed, descriptors };
  }
}
