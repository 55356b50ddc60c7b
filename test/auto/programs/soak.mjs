// Express and Fastify applications under many connections, recorded by a session, and the problems of the trace.
// Arguments: the folder of the libraries, the ports of MariaDB and Redis, the duration in seconds, the number of
// connections.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import '../../../dist/auto/index.js';
import { startSession } from '../../../dist/index.js';
import { eventStream } from '../../../dist/integrations/pino.js';
import { load } from './libraries.mjs';
import { faultsOf } from './soak-check.mjs';

const [mysqlPort, redisPort, seconds, connections] = process.argv.slice(3).map(Number);
const express = load('express');
const { fetch: undiciFetch, Agent } = load('undici');
const pino = load('pino');
const mysql = load('mysql2/promise');
const { createClient } = load('redis');

const folder = mkdtempSync(join(tmpdir(), 'tracewright-soak-'));
const output = join(folder, 'soak.nettrace');
const log = pino({}, pino.multistream([{ level: 'trace', stream: eventStream() }]));
const pool = mysql.createPool({ host: '127.0.0.1', port: mysqlPort, user: 'root', connectionLimit: 10 });
const redis = createClient({ url: `redis://127.0.0.1:${redisPort}` });
const dispatcher = new Agent();

/** By the number that a request has in its path: what it has done so far. */
const done = new Map();
const count = (id, what) => done.get(id)[what]++;

/** The work of a request: each part says the request's number, in one field or another. */
async function work(id, backend) {
  log.info(`begin of ${id}.`);
  count(id, 'lines');
  count(id, 'queries');
  const query = pool.query(`SELECT 1 AS r${id}`);
  count(id, 'commands');
  const command = redis.get(`r${id}`);
  await Promise.all([query, command]);
  count(id, 'calls');
  const answer = await undiciFetch(`http://127.0.0.1:${backend}/backend/${id}`, { dispatcher });
  await answer.text();
  log.info(`end of ${id}.`);
  count(id, 'lines');
}

function begun(path) {
  const id = Number(path.split('/')[2]);
  done.set(id, { lines: 0, queries: 0, commands: 0, calls: 0 });
  return id;
}

function expressApp(backend) {
  const app = express();
  app.use(express.json());
  app.get('/plain/:id', async (request, response) => {
    await work(Number(request.params.id), backend);
    response.json({ ok: true });
  });
  app.get('/stream/:id', async (request, response) => {
    await work(Number(request.params.id), backend);
    Readable.from(['some ', 'pieces ', 'of text\n']).pipe(response);
  });
  app.post('/body/:id', async (request, response) => {
    await work(Number(request.params.id), backend);
    response.json(request.body);
  });
  app.get('/fails/:id', async (request) => {
    await work(Number(request.params.id), backend);
    throw new RangeError('It fails.');
  });
  // What Express prints of errors is not what this is about.
  app.use((_error, _request, response, _next) => response.status(500).end());
  return app;
}

async function fastifyServer(backend) {
  const app = load('fastify')();
  const idOf = (request) => Number(request.params.id);
  app.get('/plain/:id', async (request) => {
    await work(idOf(request), backend);
    return { ok: true };
  });
  app.get('/stream/:id', async (request, reply) => {
    await work(idOf(request), backend);
    return reply.send(Readable.from(['some ', 'pieces ', 'of text\n']));
  });
  app.post('/body/:id', async (request) => {
    await work(idOf(request), backend);
    return request.body;
  });
  app.get('/fails/:id', async (request) => {
    await work(idOf(request), backend);
    throw new RangeError('It fails.');
  });
  await app.ready();
  return app.server;
}

/** Requests that came, as the servers themselves count them. */
const came = [];

async function listening(server, isCounted) {
  if (isCounted) server.prependListener('request', (request) => came.push(begun(request.url)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server.address().port;
}

await redis.connect();
await pool.query('SELECT 1');
const session = startSession({
  providers: 'Node.Http,Node.Database,Node.Logs',
  output,
  mode: 'block',
  maxBufferBytes: 64 * 2 ** 20,
});
const backendServer = createServer(async (request, response) => {
  if (Number(request.url.split('/')[2]) % 3 === 0) await delay(1);
  response.end('here');
});
const backend = await listening(backendServer, false);
const servers = [createServer(expressApp(backend)), await fastifyServer(backend)];
const ports = [];
for (const server of servers) ports.push(await listening(server, true));

const client = fork(
  join(import.meta.dirname, 'soak-client.mjs'),
  [...ports, seconds, connections].map(String),
);
const [asked] = await once(client, 'message');
await once(client, 'exit');
// What was aborted may still be at work.
const isOver = () => [...done.values()].every(({ lines }) => lines !== 1);
while (!isOver()) await delay(20);
for (const server of [...servers, backendServer]) {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}
await dispatcher.close();
redis.destroy();
await pool.end();
await delay(50);
const { dropped, events } = await session.close();
console.log(
  JSON.stringify({
    asked,
    requests: came.length,
    events,
    dropped,
    megabytes: Math.round(statSync(output).size / 1e6),
    ...(await faultsOf(output, came, done)),
  }),
);
rmSync(folder, { recursive: true });
