/**
 * What a flight recorder costs: an activity with an event beside a session that throws its trace away; a request of a
 * server that answers about 5,000 per second, with and without a ring; and a file of a full ring while the application
 * goes on. Prints JSON.
 *
 *     node --expose-gc scripts/bench/flight-recorder.mjs [--megabytes 16] [--dumps 40] [--rate 5000] [--rounds 31]
 *
 * Requires dist/.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { defineEventSource, event, startSession } from 'tracewright';
import { startFlightRecorder } from 'tracewright/diagnostics';
import { measureFramework } from './servers/index.mjs';

const PROVIDER = 'Bench-Flight';
const ROUNDS = 7;
const ACTIVITIES = 40_000;
const AT_ONCE = 500;

const log = defineEventSource(PROVIDER, {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool' }),
  Cache: event({ key: 'string', size: 'uint32' }),
});

const request = () =>
  log.activity('Request', { url: '/api/orders/17' }, () => log.Cache({ key: 'abc', size: 7 }));

/** @returns microseconds of CPU time for one activity */
async function costOf() {
  const before = process.cpuUsage();
  for (let i = 0; i < ACTIVITIES; i++) {
    request();
    if (i % AT_ONCE === 0) await sleep(0);
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / ACTIVITIES;
}

const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() });
const TRIGGERS = { slow: { '*': { timesP99: 1e9 } }, failure: true, error: true };

/** Each in turn, so that what else runs on the machine meets all of them. */
async function costs(folder) {
  const recorders = {
    none: () => ({ close() {} }),
    session: () => startSession({ providers: PROVIDER, output: nowhere() }),
    ring: () => startFlightRecorder({ providers: PROVIDER, folder }),
    triggers: () => startFlightRecorder({ providers: PROVIDER, folder, ...TRIGGERS }),
  };
  /** @type {Record<string, number[]>} */
  const found = Object.fromEntries(Object.keys(recorders).map((name) => [name, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, start] of Object.entries(recorders)) {
      const recorder = start();
      found[name].push(await costOf());
      await recorder.close();
    }
  }
  return Object.fromEntries(Object.entries(found).map(([name, each]) => [name, quantile(each, 0.5)]));
}

async function dumps(folder, { megabytes, count, rate }) {
  const recorder = startFlightRecorder({
    providers: PROVIDER,
    folder,
    maxBytes: megabytes * 2 ** 20,
    maxAgeMs: 3_600_000,
    maxDiskBytes: 64 * 2 ** 20,
  });
  while (recorder.bytes < 0.95 * megabytes * 2 ** 20) {
    for (let i = 0; i < AT_ONCE; i++) request();
    await sleep(1);
  }
  const timer = setInterval(() => {
    for (let i = 0; i < rate / 100; i++) request();
  }, 10);
  /** @type {number[][]} */
  const [whole, held, memory] = [[], [], []];
  for (let i = 0; i < count; i++) {
    const startedAt = performance.now();
    const dump = recorder.dump();
    held.push(performance.now() - startedAt);
    await dump;
    whole.push(performance.now() - startedAt);
    await sleep(1);
    if (i % Math.ceil(count / 10) > 0) continue;
    globalThis.gc?.();
    memory.push(process.memoryUsage().rss / 1e6);
  }
  clearInterval(timer);
  await recorder.close();
  const some = (each) => [0.5, 0.9].map((part) => quantile(each, part));
  return { fileMs: some(whole), heldMs: some(held), rssMegabytes: memory.map(Math.round) };
}

/**
 * Servers in turns: microseconds of CPU time per request, the least and the median. Of what the ring adds, a part is
 * the flow of activities, which any listener needs.
 */
async function server(rounds) {
  const ids = { none: 'loaded', listener: 'loadedListener', ring: 'loadedRing' };
  const cases = Object.values(ids).map((id) => ({ id, server: { framework: 'http', variant: id } }));
  const [measured] = await measureFramework(cases, { warmUp: 4000, requests: 700, rounds });
  return Object.fromEntries(
    Object.entries(ids).map(([name, id]) => {
      const us = measured[id][0].map((ns) => ns / 1000);
      return [name, [0, 0.5].map((part) => quantile(us, part))];
    }),
  );
}

function quantile(numbers, part) {
  const sorted = numbers.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) * part)] ?? 0) * 100) / 100;
}

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string' },
    dumps: { type: 'string' },
    rate: { type: 'string' },
    rounds: { type: 'string' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'tracewright-flight-bench-'));
try {
  const { megabytes = 16, dumps: count = 40, rate = 5000, rounds = 31 } = values;
  const settings = { megabytes: Number(megabytes), count: Number(count), rate: Number(rate) };
  const serverUs = await server(Number(rounds));
  console.log(JSON.stringify({ cpuUs: await costs(folder), serverUs, ...(await dumps(folder, settings)) }));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
