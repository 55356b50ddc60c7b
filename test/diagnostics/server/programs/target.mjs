// An application with a diagnostic port that follows the test's orders over the IPC channel and reports its state. The
// optional first argument is the name of a folder for the socket.
import { readdirSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { defineEventSource, event, Level } from 'tracewright';
import { enableDiagnostics } from 'tracewright/diagnostics';

// What a file's mode is without the umask shows what the port itself does about it.
process.umask(0);

const { Error: ERROR, Warning: WARNING, Informational: INFORMATIONAL, Verbose: VERBOSE } = Level;
const n = { n: 'int32' };
const demo = defineEventSource('Demo', {
  Req: event(n, { id: 1, keywords: 1n, level: INFORMATIONAL }),
  Note: event(n, { id: 2, keywords: 2n, level: WARNING }),
  Other: event(n, { id: 3, keywords: 4n, level: INFORMATIONAL }),
  Fourth: event(n, { id: 4, keywords: 1n, level: INFORMATIONAL }),
  Fifth: event(n, { id: 5, keywords: 3n, level: INFORMATIONAL }),
  Detail: event(n, { id: 6, keywords: 1n, level: VERBOSE }),
  Plain: event(n, { id: 7, level: INFORMATIONAL }),
});
const mine = defineEventSource('MyEventSource', {
  Failed: event(n, { keywords: 0x20n, level: ERROR }),
  Done: event(n, { keywords: 0x20n, level: INFORMATIONAL }),
  Elsewhere: event(n, { keywords: 0x8n, level: ERROR }),
});
const p = defineEventSource('P', { One: event(n, { keywords: 1n, level: INFORMATIONAL }) });
const bulk = defineEventSource('Bulk', { Kilobyte: event({ n: 'int32', text: 'string' }) });
const events = [demo, mine, p].flatMap((source) =>
  Object.values(source).filter((member) => member?.identity !== undefined),
);

const commands = [];
demo.onCommand(({ kind, level, anyKeyword, arguments: args }) =>
  commands.push({ kind, level, keywords: `0x${anyKeyword.toString(16)}`, arguments: args }),
);

/** How often somebody wanted an event enough for its payload to be made. */
let payloads = 0;
function write(round) {
  for (const one of events) {
    one(() => {
      payloads++;
      return { n: round };
    });
  }
}

const loopDelay = monitorEventLoopDelay({ resolution: 5 });
loopDelay.enable();
let isReady = false;

const text = 'k'.repeat(512);
const answers = {
  write: ({ count }) => {
    for (let round = 0; round < count; round++) write(round);
  },
  writeBulk: ({ count }) => {
    for (let round = 0; round < count; round++) bulk.Kilobyte({ n: round, text });
  },
  state: () => {
    globalThis.gc?.();
    const { rss, heapUsed, external } = process.memoryUsage();
    const state = {
      enabled: [...events, bulk.Kilobyte].filter((one) => one.enabled).length,
      payloads,
      commands: commands.splice(0),
      dropped: [demo, mine, p, bulk].map((source) => source.stats().dropped),
      descriptors: readdirSync('/proc/self/fd').length,
      rss,
      kept: heapUsed + external,
      longestDelayMs: loopDelay.max / 1e6,
      isReady,
    };
    loopDelay.reset();
    return state;
  },
  processorTime: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  block: ({ ms }) => {
    for (const end = performance.now() + ms; performance.now() < end; );
  },
  environment: ({ name }) => process.env[name] ?? null,
  close: () => port.close(),
  end: () => process.disconnect(),
  exit: ({ code }) => process.exit(code),
};

const port = enableDiagnostics(process.argv[2] === undefined ? {} : { folder: process.argv[2] });
port.ready.then(() => {
  isReady = true;
});
process.on('message', async ({ question, ...details }) => {
  const answer = await answers[question](details);
  if (process.connected) process.send({ answer });
});
process.send({ answer: { address: port.address, problem: port.problem } });
