// Requests to Express and Fastify applications whose handlers note their activity. Arguments: the folder of the
// libraries, and the event sources to record.
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const express = load('express');
const fastify = load('fastify');
const note = (text) => app.Note({ text });

/** Asks in turn on one connection, and resolves when all is over. */
async function asked(port, ...paths) {
  for (const [path, options] of paths) {
    const sent = request({ port, host: '127.0.0.1', path, ...options });
    const isClosed = once(sent, 'close');
    sent.end(options?.body);
    const [response] = await once(sent, 'response');
    for await (const _ of response);
    await isClosed;
  }
  await delay(2);
}

async function serving(listener, work) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  await work(server.address().port);
  await new Promise((resolve) => server.close(resolve));
}

const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };

function shop() {
  const shop = express();
  shop.use(function first(_, __, next) {
    note('first');
    next();
  });
  shop.use(async function second(_, __, next) {
    await delay(1);
    note('second');
    next();
  });
  shop.use(express.json());
  const api = express.Router();
  api.param('id', function known(_, __, next) {
    note('param');
    next();
  });
  api.get('/users/:id', async function user(incoming, response) {
    note('handler');
    await delay(2);
    note(incoming.params.id);
    response.json({});
  });
  api.post('/users', function add(incoming, response) {
    note(JSON.stringify(incoming.body));
    response.status(201).end();
  });
  api.get('/fails', function fails() {
    throw new RangeError('in the handler');
  });
  api.get('/rejects', async function rejects() {
    await delay(1);
    throw new RangeError('in the promise');
  });
  shop.use('/tenants/:tenant', api);
  const inner = express.Router().get('/', (_, response) => response.end());
  const outer = express.Router().use('/inner/:b', inner).use(inner);
  shop.use('/outer/:a', outer);
  shop.get('/', (_, response) => response.send('.'));
  shop.use(function handle(error, _, response, __) {
    note('error');
    response.status(500).send(error.message);
  });
  return shop;
}

async function withFastify(work) {
  const server = fastify();
  server.addHook('onRequest', async () => note('onRequest'));
  server.addHook('onResponse', async () => note('onResponse'));
  server.get('/users/:id', async function user(incoming) {
    note('handler');
    await delay(2);
    note(incoming.params.id);
    return {};
  });
  server.post('/users', function add(incoming, reply) {
    note(JSON.stringify(incoming.body));
    reply.code(201).send();
  });
  server.get('/fails', function fails() {
    throw new RangeError('in the handler');
  });
  server.get('/rejects', async function rejects() {
    await delay(1);
    throw new RangeError('in the promise');
  });
  server.get('/anonymous/:id', () => 'here');
  await server.listen({ port: 0, host: '127.0.0.1' });
  await work(server.server.address().port);
  await server.close();
}

const PATHS = [
  ['/tenants/a/users/7'],
  ['/tenants/a/users', json],
  ['/tenants/a/fails'],
  ['/tenants/a/rejects'],
  ['/outer/1/inner/2'],
  ['/outer/1'],
  ['/'],
  ['/nothing'],
];
const FASTIFY_PATHS = [
  ['/users/7'],
  ['/users', json],
  ['/fails'],
  ['/rejects'],
  ['/nothing'],
  ['/anonymous/7'],
];

instrument({ httpClient: false });
await printRecorded(process.argv[3], {
  express: () => serving(shop(), (port) => asked(port, ...PATHS)),
  fastify: () => withFastify((port) => asked(port, ...FASTIFY_PATHS)),
  async withoutChannels() {
    instrument({ express: false });
    await serving(shop(), (port) => asked(port, ...PATHS.slice(0, 2)));
    instrument({ express: true });
  },
});
