// Requests of fetch that end in each possible way. Each is made inside the activity Work.
import { createHash } from 'node:crypto';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { instrument } from '../../../dist/auto/index.js';
import { app, printRecorded } from './recorded.mjs';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');
const note = (text) => app.Note({ text });

const server = createServer(async (incoming, response) => {
  const [path, query] = incoming.url.split('?');
  if (path === '/redirect') return response.writeHead(302, { location: '/ok' }).end();
  if (path === '/slow') await delay(10);
  if (path === '/never') return;
  if (path === '/hang-up') return incoming.socket.destroy();
  if (path === '/half') {
    response.write('half');
    await delay(5);
    return incoming.socket.destroy();
  }
  if (path === '/large') return response.end('x'.repeat(4e6));
  response.statusCode = Number(path.slice(1)) || 200;
  incoming.resume().on('end', () => response.end(JSON.stringify({ query, ...incoming.headers })));
});
server.on('upgrade', ({ headers }, socket) => {
  const accept = createHash('sha1')
    .update(`${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
    .digest('base64');
  socket.write(
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      `Sec-WebSocket-Accept: ${accept}\r\n\r\n`,
  );
  socket.on('error', () => {});
  setTimeout(() => socket.destroy(), 10);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const origin = `http://127.0.0.1:${port}`;

const inWork = (work) => app.activity('Work', { text: '' }, { stop: () => ({}) }, work);
const fetched = async (path, options) => {
  const response = await fetch(new URL(path, origin), options);
  const text = await response.text();
  note('is answered');
  return text;
};

await printRecorded('Node.Http', {
  answered: () => inWork(() => fetched('/path?key=secret')),
  async concurrent() {
    await Promise.all([1, 2, 3, 4].map(() => inWork(() => fetched('/slow'))));
  },
  async failed() {
    await inWork(() => fetched('/404'));
    await inWork(() => fetched('/500'));
  },
  async withoutBody() {
    await inWork(() => fetched('/ok', { method: 'HEAD' }));
    await inWork(() => fetched('/204'));
  },
  redirected: () => inWork(() => fetched('/redirect')),
  streamed: () =>
    inWork(() =>
      fetched('/upload', {
        method: 'POST',
        duplex: 'half',
        body: (async function* () {
          yield Buffer.from('one');
          await delay(2);
          yield Buffer.from('two');
        })(),
      }),
    ),
  async refused() {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const refusing = closed.address().port;
    await new Promise((resolve) => closed.close(resolve));
    await inWork(() => fetched(`http://127.0.0.1:${refusing}/`).catch(() => {}));
  },
  hungUp: () => inWork(() => fetched('/hang-up').catch(() => {})),
  async halfAnswered() {
    await inWork(() => fetched('/half').catch(() => {}));
    await delay(1);
  },
  async aborted() {
    await inWork(async () => {
      const controller = new AbortController();
      const isAnswered = fetched('/never', { signal: controller.signal });
      await delay(20);
      controller.abort();
      await isAnswered.catch(() => {});
    });
  },
  async cancelled() {
    await inWork(async () => {
      const response = await fetch(`${origin}/large`);
      await response.body.cancel();
      await delay(5);
    });
  },
  /** It is over when nobody can read it any more. */
  async neverRead() {
    const ended = new Promise((resolve) => {
      subscribe('undici:request:error', function onError() {
        unsubscribe('undici:request:error', onError);
        resolve(true);
      });
    });
    await inWork(async () => {
      await fetch(`${origin}/large`);
      note('is not read');
    });
    for (let isOver = false; !isOver; ) {
      collectGarbage();
      isOver = await Promise.race([ended, delay(20)]);
    }
  },
  async upgraded() {
    if (globalThis.WebSocket === undefined) return false;
    await inWork(async () => {
      const socket = new WebSocket(`ws://127.0.0.1:${port}/socket`);
      await new Promise((resolve) => socket.addEventListener('open', resolve));
      note('is open');
      await new Promise((resolve) => socket.addEventListener('close', resolve));
      await delay(5);
    });
    return true;
  },
  async traced() {
    const seen = [];
    const tracedTo = async (traceparent, options) => {
      instrument({ traceparent });
      seen.push(JSON.parse(await inWork(() => fetched('/headers', options))));
    };
    await tracedTo([`${origin}/`]);
    await tracedTo(['http://example.com']);
    await tracedTo(true);
    await tracedTo(true, { headers: { Traceparent: 'of the application' } });
    await tracedTo(false);
    instrument({ traceparent: [] });
    return seen.map(({ traceparent = '' }) => traceparent);
  },
  async off() {
    instrument({ fetch: false });
    await inWork(() => fetched('/ok'));
    instrument({ fetch: true });
  },
});
server.closeAllConnections();
server.close();
