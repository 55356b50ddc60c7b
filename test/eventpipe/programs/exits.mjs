/** Writes events to a session's file without stopping it. Arguments: the file, and how the process ends. */
import { isMainThread, Worker, workerData } from 'node:worker_threads';
import { defineEventSource, event, startSession } from '../../../dist/cjs/index.mjs';

const [file, ending] = isMainThread ? process.argv.slice(2) : workerData;

function write() {
  const log = defineEventSource('Session-Exit', { Ping: event({ n: 'int32' }) });
  const session = startSession({ providers: '*', output: file });
  const others =
    ending === 'several' ? [1, 2].map((n) => startSession({ providers: '*', output: `${file}-${n}` })) : [];
  for (let n = 0; n < 50_000; n++) log.Ping({ n });
  return { log, session, others };
}

if (ending === 'worker' && isMainThread) {
  new Worker(new URL(import.meta.url), { workerData: [file, ending] });
} else {
  const { log, session, others } = write();
  if (ending === 'exit') setImmediate(() => process.exit(3));
  if (ending === 'throw') {
    setImmediate(() => {
      throw new Error('thrown');
    });
  }
  if (ending === 'several') {
    process.on('exit', () => {
      log.Ping({ n: -1 });
      log.Ping({ n: -2 });
      console.log(JSON.stringify([session, ...others].map(({ result }) => result)));
    });
  }
  if (ending === 'busy') {
    process.on('exit', () => log.Ping({ n: -1 }));
    process.on('exit', () => {
      log.Ping({ n: -2 });
      log.write('Own', { n: -3 });
      console.log(JSON.stringify(session.result));
    });
  }
}
