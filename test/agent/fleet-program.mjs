// One of many programs for the agent: writes activities with events inside at a rate while somebody listens. At SIGTERM
// or SIGHUP it says how many it has written since it was asked last; the former ends it.
import { defineEventSource, event, Opcode } from '../../dist/index.js';

const PERIOD_MS = 10;
const [rate = '1000'] = process.argv.slice(2);
const log = defineEventSource('Tracewright-Fleet', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', status: 'uint16' }),
  CacheMiss: event({ key: 'string', size: 'uint32' }),
});
const settings = defineEventSource('Tracewright-FleetSettings', {
  Setting: event({ rate: 'string' }, { opcode: Opcode.DataCollectionStart }),
});
settings.onStateRequest(({ kind }) => {
  if (kind === 'start') settings.Setting({ rate });
});
/** One request in so many fails. */
const FAILING = 100;
const EVENTS_PER_REQUEST = 10;
const requestsPerPeriod = (Number(rate) * PERIOD_MS) / 1000 / EVENTS_PER_REQUEST;

let written = 0;
let requests = 0;
let due = 0;

function request(number) {
  try {
    const options = { stop: ({ success }) => ({ success, status: success ? 200 : 500 }) };
    log.activity('Request', { url: `/item/${number}` }, options, () => {
      for (let i = 2; i < EVENTS_PER_REQUEST; i++) log.CacheMiss({ key: `item:${number}`, size: i });
      if (number % FAILING === 0) throw new Error('There is no such item.');
    });
  } catch {
    // Its Stop event says so.
  }
}

const timer = setInterval(() => {
  if (!log.CacheMiss.enabled) return;
  for (due += requestsPerPeriod; due >= 1; due--) {
    request(requests++);
    written += EVENTS_PER_REQUEST;
  }
}, PERIOD_MS);

function say() {
  const { user, system } = process.cpuUsage();
  const { rss } = process.memoryUsage();
  const said = `${JSON.stringify({ written, cpuMs: (user + system) / 1000, rss })}\n`;
  written = 0;
  return new Promise((resolve) => process.stdout.write(said, resolve));
}

process.on('SIGHUP', say);
process.on('SIGTERM', async () => {
  clearInterval(timer);
  await say();
  process.exit();
});
process.stdout.write('ready\n');
