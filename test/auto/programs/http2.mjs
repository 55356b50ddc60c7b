// HTTP/2 requests to a server in the same process, each made inside the activity Work. Argument: the folder of the
// libraries; undici also makes HTTP/2 requests.
import { once } from 'node:events';
import { connect, createServer } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const note = (text) => app.Note({ text });
const server = createServer((incoming, response) => {
  const [path] = incoming.url.split('?');
  note(`${path} begins`);
  response.on('close', () => note(`${path} is closed`));
  if (path === '/never') return;
  if (path === '/destroyed') return incoming.stream.destroy();
  if (path === '/reset') return incoming.stream.close(2);
  if (path === '/pushes') response.createPushResponse({ ':path': '/pushed' }, (_, pushed) => pushed.end('.'));
  response.statusCode = Number(path.slice(1)) || 200;
  incoming.resume().on('end', () => {
    note(`${path} has its body`);
    setTimeout(() => response.end('.'), 2);
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const inWork = (work) => app.activity('Work', { text: '' }, { stop: () => ({}) }, work);

/** Sends a request, and resolves when its stream is closed, with what it was answered. */
async function sent(session, path, { body, headers, after } = {}) {
  const stream = session.request({ ':path': path, ...(body && { ':method': 'POST' }), ...headers });
  stream.on('error', () => {}).resume();
  const isClosed = new Promise((resolve) => stream.on('close', () => setImmediate(resolve)));
  for (const part of body ?? []) {
    stream.write(part);
    await delay(3);
  }
  stream.end();
  if (after !== undefined) setTimeout(() => after(stream), 20);
  await isClosed;
  await delay(2);
}

async function withSession(work) {
  const session = connect(origin).on('error', () => {});
  await once(session, 'connect');
  await work(session);
  session.destroy();
}

await printRecorded('Node.Http', {
  answered: () => withSession((session) => inWork(() => sent(session, '/path?key=secret'))),
  concurrent: () =>
    withSession((session) =>
      Promise.all(['/200', '/201', '/404'].map((path) => inWork(() => sent(session, path)))),
    ),
  streamed: () => withSession((session) => inWork(() => sent(session, '/upload', { body: ['one', 'two'] }))),
  destroyed: () => withSession((session) => inWork(() => sent(session, '/destroyed'))),
  reset: () => withSession((session) => inWork(() => sent(session, '/reset'))),
  cancelled: () =>
    withSession((session) => inWork(() => sent(session, '/never', { after: (stream) => stream.close(8) }))),
  lost: () =>
    withSession((session) => inWork(() => sent(session, '/never', { after: () => session.destroy() }))),
  pushed: () => withSession((session) => inWork(() => sent(session, '/pushes'))),
  refused: () =>
    inWork(async () => {
      const session = connect('http://127.0.0.1:1').on('error', () => {});
      await sent(session, '/refused');
    }),
  traced: () =>
    withSession((session) => {
      const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
      return inWork(() => sent(session, '/traced', { headers: { traceparent } }));
    }),
  async undici() {
    const { H2CClient } = load('undici');
    const client = new H2CClient(origin);
    await inWork(async () => {
      const { body } = await client.request({ path: '/undici', method: 'GET' });
      await body.text();
    });
    await client.close();
    await delay(2);
  },
  async off() {
    instrument({ http2: false });
    await withSession((session) => inWork(() => sent(session, '/off')));
    instrument({ http2: true });
  },
});
server.close();
