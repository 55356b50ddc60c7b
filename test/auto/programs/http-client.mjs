// Requests of node:http that end in each possible way. Each is made inside the activity Work.
import { once } from 'node:events';
import { Agent, createServer, get, request } from 'node:http';
import { createServer as createTcpServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { app, printRecorded } from './recorded.mjs';

const note = (text) => app.Note({ text });

/** Answers by the path, and has the other ends of connections in its hands. */
const server = createServer(async (incoming, response) => {
  const path = incoming.url.split('?')[0];
  if (path === '/slow') await delay(20);
  if (path === '/never') return;
  if (path === '/early') return response.end('.');
  if (path === '/hang-up') return incoming.socket.destroy();
  if (path === '/half') {
    response.write('half');
    await delay(5);
    return incoming.socket.destroy();
  }
  if (path === '/hints') {
    response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeProcessing();
  }
  response.statusCode = Number(path.slice(1)) || 200;
  incoming.resume().on('end', () => response.end(JSON.stringify(incoming.headers)));
});
server.on('upgrade', (_, socket) => {
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: other\r\n\r\n');
});
server.on('connect', (_, socket) => socket.end('HTTP/1.1 200 Connected\r\n\r\n'));
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address();
const origin = `http://127.0.0.1:${port}`;

/** Resolves with the response's text, when the request has been closed. */
function text(sent) {
  return new Promise((resolve) => {
    let all = '';
    sent.on('response', (response) => response.on('data', (part) => (all += part)).on('error', () => {}));
    sent.on('error', () => {});
    sent.on('close', () => setImmediate(() => resolve(all)));
  });
}

const inWork = (work) => app.activity('Work', { text: '' }, { stop: () => ({}) }, work);
const fetched = (path, options = {}) => text(request(`${origin}${path}`, options).end());

await printRecorded('Node.Http', {
  answered: () => inWork(() => fetched('/path?key=secret')),
  async failed() {
    await inWork(() => fetched('/404'));
    await inWork(() => fetched('/500'));
  },
  async withoutBody() {
    await inWork(() => fetched('/ok', { method: 'HEAD' }));
    await inWork(() => fetched('/204'));
    await inWork(() => fetched('/304'));
  },
  afterHints: () => inWork(() => fetched('/hints')),
  /** One connection for all, for which most have to wait. */
  async pooled() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const one = async () => {
      await delay(1);
      const [response] = await once(get(`${origin}/slow`, { agent }), 'response');
      response.resume();
      await once(response, 'end');
      note('is answered');
    };
    await Promise.all([inWork(one), inWork(one), inWork(one)]);
    await delay(1);
    agent.destroy();
  },
  async streamed() {
    await inWork(async () => {
      const sent = request(`${origin}/upload`, { method: 'POST' });
      const isAnswered = text(sent);
      sent.write('one');
      await delay(5);
      sent.end('two');
      await isAnswered;
    });
  },
  /** The answer comes while the body is being sent. */
  async answeredEarly() {
    await inWork(async () => {
      const sent = request(`${origin}/early`, { method: 'POST' });
      sent.write('one');
      const [response] = await once(sent, 'response');
      response.resume();
      await once(response, 'end');
      const isClosed = once(sent, 'close');
      sent.end('two');
      await isClosed;
      await delay(1);
    });
  },
  async refused() {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const refusing = closed.address().port;
    await new Promise((resolve) => closed.close(resolve));
    await inWork(() => text(request({ port: refusing, host: '127.0.0.1', path: '/' }).end()));
  },
  async refusedInBody() {
    const closed = createTcpServer().listen(0, '127.0.0.1');
    await once(closed, 'listening');
    const refusing = closed.address().port;
    await new Promise((resolve) => closed.close(resolve));
    await inWork(async () => {
      const sent = request({ port: refusing, host: '127.0.0.1', path: '/', method: 'POST' });
      const isClosed = text(sent);
      sent.write('one');
      await isClosed;
      sent.end();
      await delay(1);
    });
  },
  hungUp: () => inWork(() => fetched('/hang-up')),
  halfAnswered: () => inWork(() => fetched('/half')),
  async aborted() {
    await inWork(async () => {
      const controller = new AbortController();
      const isClosed = fetched('/never', { signal: controller.signal });
      await delay(5);
      controller.abort();
      await isClosed;
    });
  },
  async destroyedBeforeSent() {
    await inWork(async () => {
      const sent = request(`${origin}/never`);
      const isClosed = text(sent);
      sent.destroy();
      await isClosed;
      sent.end();
      await delay(1);
    });
  },
  async timedOut() {
    await inWork(async () => {
      const sent = request(`${origin}/never`, { timeout: 5 }).end();
      sent.on('timeout', () => sent.destroy());
      await text(sent);
    });
  },
  /** Nobody wants the response: Node.js drops it. */
  async notAskedFor() {
    await inWork(async () => {
      const sent = get(`${origin}/ok`);
      await once(sent, 'close');
      await delay(1);
    });
  },
  /** Somebody wants the response, and does not read it: it is over when its connection is. */
  async neverRead() {
    await inWork(async () => {
      const sent = get(`${origin}/ok`);
      await once(sent, 'response');
      const isClosed = once(sent, 'close');
      await delay(5);
      note('is not read');
      server.closeAllConnections();
      await isClosed;
      await delay(1);
    });
  },
  async upgraded() {
    await inWork(async () => {
      const sent = request(`${origin}/up`, { headers: { connection: 'Upgrade', upgrade: 'other' } }).end();
      const [, socket] = await once(sent, 'upgrade');
      await delay(1);
      note('is another protocol');
      socket.destroy();
    });
  },
  async connected() {
    await inWork(async () => {
      const sent = request({ port, host: '127.0.0.1', method: 'CONNECT', path: 'example.com:443' }).end();
      const [, socket] = await once(sent, 'connect');
      socket.destroy();
      await delay(1);
    });
  },
  async traced() {
    const seen = [];
    const tracedTo = async (traceparent, options) => {
      instrument({ traceparent });
      const sent = inWork(() => fetched('/headers', options));
      seen.push(JSON.parse(await sent));
    };
    await tracedTo([origin]);
    await tracedTo(['http://example.com', 'https://127.0.0.1']);
    await tracedTo(true);
    await tracedTo([origin], { headers: { traceparent: 'of the application' } });
    await tracedTo([origin], { headers: ['host', 'x', 'accept', 'y'] });
    await tracedTo(false);
    instrument({ traceparent: [] });
    return seen.map(({ traceparent = '' }) => traceparent);
  },
  async off() {
    instrument({ httpClient: false });
    await inWork(() => fetched('/ok'));
    instrument({ httpClient: true });
  },
});
server.closeAllConnections();
server.close();
