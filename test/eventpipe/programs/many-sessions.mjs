/**
 * Consecutive sessions, each with a worker's part, and many at once. Prints the megabytes of memory that each hundred
 * sessions leave behind, and the bytes of buffers left at the end.
 */
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { defineEventSource, event, startSession } from '../../../dist/index.js';

const MIB = 1 << 20;
const log = defineEventSource('Many-Sessions', { Ping: event({ n: 'int32', text: 'string' }) });
const output = join(process.argv[2], 'many.nettrace');
const start = (path) =>
  startSession({ providers: 'Many-Sessions', output: path, maxBufferBytes: 16 * 2 ** 20 });
const program = `
  import { parentPort } from 'node:worker_threads';
  const { defineEventSource, event } = await import(${JSON.stringify(new URL('../../../dist/index.js', import.meta.url).href)});
  const log = defineEventSource('Many-Sessions', { Ping: event({ n: 'int32', text: 'string' }) });
  parentPort.on('message', (n) => { log.Ping({ n, text: 'worker' }); parentPort.postMessage(n); });
  parentPort.postMessage(-1);
`;
const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(program)}`));
const answer = () => new Promise((resolve) => worker.once('message', resolve));
await answer();

const rss = [];
for (let i = 1; i <= 400; i++) {
  const session = start(output);
  // Buffers of many sizes come and go, as in an application.
  for (let n = 0; n < 200; n++) log.Ping({ n, text: 'x'.repeat(100 + ((i * 37) % 3000)) });
  if (i % 4 === 0) {
    worker.postMessage(i);
    await answer();
  }
  await session.close();
  if (i % 100 === 0) rss.push(Math.round(process.memoryUsage().rss / MIB));
}
const sessions = Array.from({ length: 64 }, (_, i) => start(`${output}.${i}`));
worker.postMessage(0);
await answer();
await Promise.all(sessions.splice(0).map((session) => session.close()));
worker.postMessage(0);
await answer();
for (let i = 0; i < 5; i++) {
  globalThis.gc();
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const { arrayBuffers } = process.memoryUsage();
await worker.terminate();
process.stdout.write(JSON.stringify({ rss, arrayBuffers }));
