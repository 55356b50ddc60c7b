// Ends programs in the middle of a turn that has written more than a pipe holds, while another process reads their port,
// or reads nothing. Prints how the programs ended, how long that took, and the trace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiagnosticsClient } from '../node_modules/tracewright/dist/diagnostics/client/diagnostics-client.js';
import { requestFor } from './tracing-request.mjs';

const EVENTS = 3000;
const cli = resolve('node_modules/tracewright/dist/cjs/cli.cjs');

writeFileSync(
  'burst.mjs',
  `import { writeFileSync } from 'node:fs';
  import { defineEventSource, event } from 'tracewright';
  const log = defineEventSource('Burst-App', { Ping: event({ n: 'int32', text: 'string' }) });
  const text = 'x'.repeat(100);
  console.log('ready');
  setInterval(() => {
    if (!log.Ping.enabled) return;
    for (let n = 0; n < ${EVENTS}; n++) log.Ping({ n, text });
    writeFileSync(process.argv[2], String(Date.now()));
    process.exit(3);
  }, 5);`,
);

/** How a process ends, and what it has printed. */
async function started(args, output) {
  const file = openSync(output, 'w');
  const child = spawn(process.execPath, args, { stdio: ['ignore', file, file] });
  const ended = once(child, 'exit').then(([status]) => {
    closeSync(file);
    return { status, output: readFileSync(output, 'utf8'), at: Date.now() };
  });
  return { pid: child.pid, ended };
}

async function burst(name) {
  const args = ['--import', 'tracewright/diagnostics/register', 'burst.mjs', `${name}-ends`];
  const app = await started(args, `${name}-output`);
  while (readFileSync(`${name}-output`, 'utf8') === '') await sleep(20);
  return app;
}

const read = await burst('read');
const collect = await started([cli, 'collect', '-p', String(read.pid), '-o', 'read.nettrace'], 'collect');
const [app, collected] = await Promise.all([read.ended, collect.ended]);

const stuck = await burst('stuck');
const client = DiagnosticsClient.at(`\\\\.\\pipe\\dotnet-diagnostic-${stuck.pid}`, stuck.pid);
await client.collectTracing(requestFor('Burst-App'));
const unread = await stuck.ended;
console.log(
  JSON.stringify({
    statuses: [app.status, collected.status, unread.status],
    said: [app.output, collected.output, unread.output],
    waited: unread.at - Number(readFileSync('stuck-ends', 'utf8')),
    trace: readFileSync('read.nettrace').toString('base64'),
  }),
);
process.exit();
