// An HTTP server that knows nothing of tracewright; KIND says what else is unusual about it. It ends with status 7.
import { execFileSync } from 'node:child_process';
import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';

const kind = process.env.KIND ?? '';
/** The bytes of the heap without garbage, and how many listeners the process and the connection have. */
async function facts({ socket }) {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc');
  // What is collected may release more.
  for (let time = 0; time < 5; time++) {
    collectGarbage();
    await sleep(10);
  }
  const countOf = (emitter) =>
    emitter.eventNames().reduce((sum, name) => sum + emitter.listenerCount(name), 0);
  return { heap: process.memoryUsage().heapUsed, process: countOf(process), connection: countOf(socket) };
}
const server = createServer(async (request, response) => {
  const { url } = request;
  if (url === '/facts') {
    response.end(JSON.stringify(await facts(request)));
    return;
  }
  if (url !== '/work') console.error('ALIEN', url);
  setTimeout(() => response.end('done'), 2);
});
const listen = (said) =>
  server.listen(0, '127.0.0.1', () => {
    const { port } = server.address();
    said(port);
  });
const say = (port, more = {}) => console.log(JSON.stringify({ pid: process.pid, port, ...more }));
process.on('SIGTERM', () => process.exit(7));

if (kind === 'cluster' && cluster.isPrimary) {
  const workers = [cluster.fork(), cluster.fork()];
  let isSaid = false;
  cluster.on('listening', (_worker, { port }) => {
    if (!isSaid && workers.every((worker) => worker.isConnected()))
      say(port, { workers: workers.map(({ process: { pid } }) => pid) });
    isSaid = true;
  });
} else if (kind === 'workers') {
  if (isMainThread) {
    const ready = Array.from({ length: 8 }, () => once(new Worker(import.meta.filename), 'message'));
    Promise.all(ready).then(() => listen(say));
  } else {
    // Each asks itself.
    listen((port) => {
      const to = { port, host: '127.0.0.1', path: '/work', agent: false };
      const ask = () => get(to, (response) => response.resume()).on('error', () => {});
      setInterval(ask, 50);
      parentPort.postMessage('ready');
    });
  }
} else if (kind === 'express') {
  const express = createRequire(process.env.LIBRARIES)('express');
  const app = express();
  app.get('/work', (_request, response) => setTimeout(() => response.send('done'), 2));
  server.removeAllListeners('request').on('request', app);
  listen(say);
} else if (kind === 'busy') {
  listen((port) => {
    say(port);
    setTimeout(() => {
      const end = Date.now() + 5000;
      while (Date.now() < end) JSON.parse('{}');
    }, 100);
  });
} else if (kind === 'blocked') {
  listen((port) => {
    say(port);
    const { UNTIL } = process.env;
    setImmediate(() => execFileSync('sh', ['-c', `until [ -e ${UNTIL} ]; do sleep 0.1; done`]));
  });
} else if (kind === 'stuck') {
  process.removeAllListeners('SIGTERM');
  listen((port) => {
    say(port);
    setTimeout(() => {
      for (let turn = 0; ; turn++) if (turn < 0) break;
    }, 100);
  });
} else {
  if (kind === 'handler') process.on('SIGUSR1', () => {});
  listen(cluster.isWorker ? () => {} : say);
}
