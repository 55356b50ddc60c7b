// Publishes process contexts, and prints what the reader, the first argument, finds after each change.
import { execFile, spawnSync } from 'node:child_process';
import { setImmediate as turn } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

const [, , reader] = process.argv;
const entry = new URL('../../../dist/auto/index.js', import.meta.url);

function read(processId = process.pid) {
  const { stdout, stderr } = spawnSync(reader, [String(processId)], { encoding: 'utf8' });
  return (stdout || stderr).trim();
}

/** Publishing takes a few turns. */
async function readAfter(change, isDone) {
  await change();
  for (;;) {
    const found = read();
    if (isDone(found)) return found;
    await turn();
  }
}

const results = { before: read(), ownProcess: process.pid };
process.env.OTEL_SERVICE_NAME = 'shop';
process.env.OTEL_RESOURCE_ATTRIBUTES = 'service.version=1.2,team=caf%C3%A9,service.name=hidden';
results.named = await readAfter(
  () => import(entry),
  (found) => found.includes('team'),
);
const { instrument } = await import(entry);
instrument();
results.unchanged = read();

const child = spawnSync(process.execPath, [
  '-e',
  `const { stderr } = require('node:child_process').spawnSync(${JSON.stringify(reader)}, [String(process.pid)], { encoding: 'utf8' });
  console.log(stderr);`,
]);
results.child = child.stdout.toString().trim();

const worker = new Worker(entry, { execArgv: [] });
await new Promise((resolve) => worker.once('exit', resolve));
results.withWorker = read();

const added = { team: 'payments', 'deployment.environment.name': 'x'.repeat(300) };
results.changed = await readAfter(
  () => instrument({ processContext: added }),
  (found) => found.includes('payments'),
);

// A reader reads while it changes.
const reading = promisify(execFile)(reader, [String(process.pid), '200']);
let isRead = false;
reading.finally(() => {
  isRead = true;
});
for (let i = 0; !isRead; i++) {
  instrument({ processContext: { a: String(i), b: 'b'.repeat(i % 5000), c: String(i) } });
  await turn();
}
results.storm = (await reading).stdout.split('\n\n');

results.dropped = await readAfter(
  () => instrument({ processContext: false }),
  (found) => !found.includes('='),
);
results.again = await readAfter(
  () => instrument({ processContext: true }),
  (found) => found.includes('='),
);
console.log(JSON.stringify(results));
