// Connections, processes and worker threads, each inside the activity Work.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { createServer as createSecureServer, get as getSecurely } from 'node:https';
import { connect, createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { instrument } from '../../../dist/auto/index.js';
import { cert, key } from './certificate.mjs';
import { app, printRecorded } from './recorded.mjs';

const server = createServer((socket) => socket.end('HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const inWork = (work) => app.activity('Work', { text: '' }, { stop: () => ({}) }, work);
const closed = (emitter, name = 'close') =>
  new Promise((resolve) => emitter.on('error', () => {}).on(name, () => setImmediate(resolve)));

const secureServer = createSecureServer({ key, cert }, (_, response) => response.end('.'));
secureServer.listen(0, '127.0.0.1');
await once(secureServer, 'listening');

await printRecorded('Node.Http,Node.Net,Node.Process', {
  connected: () => inWork(() => closed(connect(port, '127.0.0.1').resume())),
  established: async () => {
    const socket = connect(port, 'localhost');
    const isClosed = closed(socket);
    await once(socket, 'connect');
    const left = ['lookup', 'connectionAttempt', 'connect'].filter((name) => socket.listenerCount(name) > 0);
    app.Note({ text: `${left} ${socket.listenerCount('close')}` });
    socket.resume();
    await isClosed;
  },
  resolved: () => inWork(() => closed(connect(port, 'localhost').resume())),
  refused: () => inWork(() => closed(connect(1, '127.0.0.1'))),
  unknown: () => inWork(() => closed(connect(port, 'there-is-no.invalid'))),
  destroyed: () =>
    inWork(async () => {
      const socket = connect(port, '127.0.0.1');
      const isClosed = closed(socket);
      socket.destroy();
      await isClosed;
    }),
  requested: () =>
    inWork(async () => {
      const agent = new Agent();
      await closed(get({ port, host: '127.0.0.1', agent }, (response) => response.resume()));
    }),
  secure: () =>
    inWork(async () => {
      const options = { port: secureServer.address().port, host: 'localhost', agent: false, ca: cert };
      await closed(getSecurely(options, (response) => response.resume()));
    }),
  children: () =>
    inWork(async () => {
      await closed(spawn(process.execPath, ['-e', 'process.exit(3)', 'secret'], { stdio: 'ignore' }), 'exit');
      const killed = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
      await once(killed, 'spawn');
      killed.kill('SIGKILL');
      await closed(killed, 'exit');
      await new Promise((resolve) => execFile('/there/is/no/program', resolve));
    }),
  workers: () =>
    inWork(async () => {
      await closed(new Worker('', { eval: true }), 'exit');
      await closed(new Worker('process.exit(3)', { eval: true }), 'exit');
    }),
  async off() {
    instrument({ net: false, childProcess: false, workerThreads: false });
    await inWork(() => closed(connect(port, '127.0.0.1').resume()));
    await inWork(() => closed(spawn(process.execPath, ['-e', ''], { stdio: 'ignore' }), 'exit'));
    await inWork(() => closed(new Worker('', { eval: true }), 'exit'));
    instrument({ net: true, childProcess: true, workerThreads: true });
    await delay(1);
  },
});
server.close();
secureServer.close();
