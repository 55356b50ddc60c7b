// Clients that sample a stuck application come and go without end. Prints as JSON how long the application was stuck
// without them, and with them, and how many there were.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { enableDiagnostics } from '../../../dist/diagnostics/index.js';
import { encodeRequest } from '../../../dist/wire/diagnostics-ipc/request.js';
import { streamingTracing } from '../../../dist/wire/diagnostics-ipc/tracing.js';

/** As many as an application has: V8 looks at each when it starts to profile. */
const FUNCTIONS = 10_000;
const CALLS_MS = 1500;
const CLIENTS = 10;
/** Beyond that, the application counts as starved. */
const STARVED_MS = 60_000;

async function runApplication() {
  const { address } = enableDiagnostics();
  const functions = Array.from({ length: FUNCTIONS }, (_, i) => new Function('x', `return x * ${i} + 1`));
  let sum = 0;
  const round = () => {
    for (const each of functions) sum += each(1);
  };
  let rounds = 0;
  const start = performance.now();
  for (; performance.now() < start + CALLS_MS; rounds++) round();
  const alone = performance.now() - start;
  process.send({ address });
  await once(process, 'message');
  const again = performance.now();
  for (let i = 0; i < rounds; i++) round();
  process.send({ alone, sampled: performance.now() - again, sum });
  process.disconnect();
  process.exit();
}

const session = encodeRequest({
  command: 'CollectTracing',
  version: 2,
  tracing: streamingTracing({
    bufferMegabytes: 16,
    providers: [{ name: 'Microsoft-DotNETCore-SampleProfiler', keywords: 0n, level: 5, arguments: '' }],
  }),
});

async function comeAndGo(address, isOver) {
  let count = 0;
  while (!isOver()) {
    const socket = connect(address).resume();
    socket.on('error', () => {});
    socket.write(session);
    await sleep(50 + Math.random() * 100);
    socket.destroy();
    count++;
  }
  return count;
}

async function run() {
  const application = fork(import.meta.filename, ['application']);
  const [{ address }] = await once(application, 'message');
  application.send('go');
  let isOver = false;
  const clients = Array.from({ length: CLIENTS }, () => comeAndGo(address, () => isOver));
  const starved = sleep(STARVED_MS, [{ sampled: 'starved' }], { ref: false });
  const [{ alone, sampled }] = await Promise.race([once(application, 'message'), starved]);
  isOver = true;
  const counts = await Promise.all(clients);
  application.kill('SIGKILL');
  console.log(JSON.stringify({ alone, sampled, clients: counts.reduce((sum, count) => sum + count) }));
}

if (process.argv[2] === 'application') await runApplication();
else await run();
