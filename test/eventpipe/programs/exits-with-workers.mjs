/** Exits while worker threads write to its session's file. Arguments: the file, and the session's mode. */
import { isMainThread, Worker } from 'node:worker_threads';
import { defineEventSource, event, startSession } from '../../../dist/cjs/index.mjs';

const log = defineEventSource('Session-Exit', { Ping: event({ n: 'int32' }) });
if (isMainThread) {
  const [file, mode] = process.argv.slice(2);
  const session = startSession({ providers: '*', output: file, mode, maxBufferBytes: 0.5 * 2 ** 20 });
  for (let i = 0; i < 3; i++) new Worker(new URL(import.meta.url));
  setInterval(() => session.result.events > 10_000 && process.exit(3), 10);
} else {
  for (let n = 0; ; n++) log.Ping({ n });
}
