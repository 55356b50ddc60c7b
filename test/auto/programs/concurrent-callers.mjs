// Fifty callers over a pool of two, for each way in which libraries take calls: the text of each activity names its
// caller. Arguments: the folder of the libraries, the ports of MariaDB, Redis and PostgreSQL.
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { instrument, instrumentMongoClient } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { listenAsMongo } from './mongo-server.mjs';
import { app, printRecorded } from './recorded.mjs';

const [mysqlPort, redisPort, postgresqlPort] = process.argv.slice(3).map(Number);
process.on('warning', () => {});
instrument({ pg: true });
const express = load('express');
const fastify = load('fastify');
const mysql = load('mysql2');
const { Client, Pool } = load('pg');
const { createClient, createClientPool } = load('redis');
const Redis = load('ioredis');
const { MongoClient } = load('mongodb');
const undici = load('undici');

const CALLERS = 50;
const ROUNDS = 3;

/** Each call belongs to who makes it, and so does what follows it. */
const callers = (call) =>
  Promise.all(
    Array.from({ length: CALLERS }, async (_, index) => {
      // Some come together, others while the pool is busy.
      if (index % 5 !== 0) await delay(index % 7);
      await app.activity('Work', { text: `c${index}c` }, { stop: () => ({}) }, async () => {
        for (let round = 0; round < ROUNDS; round++) {
          await call(`c${index}c`);
          app.Note({ text: `c${index}c` });
        }
      });
    }),
  );

/** Asked to, it answers every other request of a caller so that the request is made again. */
const again = new Set();
const backend = createServer((request, response) => {
  const [, path, status] = /^([^?]*)(?:\?again=(\d+))?$/.exec(request.url);
  if (status !== undefined && !again.delete(path)) {
    again.add(path);
    response.writeHead(Number(status), { location: `http://${request.headers.host}${path}` });
  }
  setTimeout(() => response.end(), 1);
}).listen(0, '127.0.0.1');
await once(backend, 'listening');
const origin = `http://127.0.0.1:${backend.address().port}`;
const got = (text, agent) =>
  new Promise((resolve, reject) => {
    get(`${origin}/${text}`, { agent }, (response) => response.resume().on('end', resolve)).on(
      'error',
      reject,
    );
  });

const mysqlServer = { host: '127.0.0.1', port: mysqlPort, user: 'root', database: 'mysql' };
const pgServer = { host: '127.0.0.1', port: postgresqlPort, user: 'postgres', database: 'postgres' };
const called = (call) =>
  new Promise((resolve, reject) => call((error) => (error ? reject(error) : resolve())));

async function withIoredis(options, work) {
  const client = new Redis({ port: redisPort, host: '127.0.0.1', lazyConnect: true, ...options }).on(
    'error',
    () => {},
  );
  await client.connect();
  await work(client);
  client.disconnect();
}

async function withRedisPool(work) {
  const pool = await createClientPool({ url: `redis://127.0.0.1:${redisPort}` }, { maximum: 2 })
    .on('error', () => {})
    .connect();
  await work(pool);
  await pool.close();
}

async function withDispatcher(dispatcher, work) {
  await work(dispatcher);
  await dispatcher.close();
}
const requested = (dispatcher) => (text) =>
  dispatcher.request({ origin, path: `/${text}`, method: 'GET' }).then(({ body }) => body.text());

/** Requests from outside, each to a server whose handler calls: the calls belong to its Request. */
async function served(server) {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 10 });
  const { port } = server.address();
  const ask = (path) =>
    new Promise((resolve, reject) => {
      get({ port, path, agent }, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  instrument({ httpClient: false });
  await Promise.all(Array.from({ length: CALLERS * ROUNDS }, (_, index) => ask(`/c${index}c`)));
  instrument({ httpClient: true });
  agent.destroy();
  await new Promise((resolve) => server.close(resolve));
}

/** What a handler calls. */
async function withDatabases(work) {
  const pool = mysql.createPool({ ...mysqlServer, connectionLimit: 2 }).promise();
  const pgPool = new Pool({ ...pgServer, max: 2 });
  const dispatcher = new undici.Pool(origin, { connections: 2 });
  await withIoredis({}, (client) =>
    work(async (text) => {
      const queries = [pool.query(`SELECT 1 AS \`${text}\``), pgPool.query(`SELECT 1 AS "${text}"`)];
      await Promise.all([...queries, client.get(text)]);
      await requested(dispatcher)(text);
    }),
  );
  await Promise.all([pool.end(), pgPool.end(), dispatcher.close()]);
}

await printRecorded('Node.Http,Node.Database', {
  async httpAgent() {
    const agent = new Agent({ maxSockets: 2, keepAlive: true });
    await callers((text) => got(text, agent));
    agent.destroy();
  },
  async httpAgentWithoutKeepAlive() {
    const agent = new Agent({ maxSockets: 2 });
    await callers((text) => got(text, agent));
  },
  fetch: () => callers((text) => fetch(`${origin}/${text}`).then((response) => response.text())),
  undiciPool: () =>
    withDispatcher(new undici.Pool(origin, { connections: 2 }), (pool) => callers(requested(pool))),
  undiciAgent: () =>
    withDispatcher(new undici.Agent({ connections: 2 }), (agent) => callers(requested(agent))),
  undiciClient: () => withDispatcher(new undici.Client(origin), (client) => callers(requested(client))),
  undiciStream: () =>
    withDispatcher(new undici.Pool(origin, { connections: 2 }), (pool) =>
      callers((text) => pool.stream({ path: `/${text}`, method: 'GET' }, () => new PassThrough().resume())),
    ),
  /** Each request is answered twice: the first answer has it sent again. */
  async undiciRetry() {
    for (const connections of [2, undefined]) {
      const agent = new undici.RetryAgent(new undici.Agent({ connections }), { minTimeout: 1 });
      await withDispatcher(agent, () => callers((text) => requested(agent)(`${text}?again=503`)));
    }
  },
  async undiciRedirect() {
    for (const connections of [2, undefined]) {
      const agent = new undici.Agent({ connections });
      const following = agent.compose(undici.interceptors.redirect({ maxRedirections: 1 }));
      await withDispatcher(agent, () => callers((text) => requested(following)(`${text}?again=302`)));
    }
  },
  undiciFetch: () =>
    withDispatcher(new undici.Agent({ connections: 2 }), (dispatcher) =>
      callers((text) =>
        undici.fetch(`${origin}/${text}`, { dispatcher }).then((response) => response.text()),
      ),
    ),
  async http2() {
    const server = createHttp2Server({ settings: { maxConcurrentStreams: 2 } }, (request, response) => {
      setTimeout(() => response.end(request.url), 1);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${server.address().port}`);
    // Until the client knows the server's limit, the server refuses what is above it.
    await once(session, 'remoteSettings');
    await callers(
      (text) =>
        new Promise((resolve, reject) => {
          session
            .request({ ':path': `/${text}` })
            .resume()
            .on('end', resolve)
            .on('error', reject)
            .end();
        }),
    );
    session.destroy();
    server.close();
  },
  async mysqlPool() {
    const pool = mysql.createPool({ ...mysqlServer, connectionLimit: 2 });
    await callers((text) => called((callback) => pool.query(`SELECT 1 AS \`${text}\``, callback)));
    await called((callback) => pool.end(callback));
  },
  async mysqlPoolPromises() {
    const pool = mysql.createPool({ ...mysqlServer, connectionLimit: 2 }).promise();
    await callers(async (text) => {
      await pool.execute(`SELECT 1 AS \`${text}\``);
      const connection = await pool.getConnection();
      await connection.query(`SELECT 2 AS \`${text}\``);
      connection.release();
    });
    await pool.end();
  },
  async mysqlConnection() {
    const connection = mysql.createConnection(mysqlServer);
    await callers((text) => called((callback) => connection.query(`SELECT 1 AS \`${text}\``, callback)));
    connection.destroy();
  },
  async pgPool() {
    const pool = new Pool({ ...pgServer, max: 2 });
    await callers((text) => called((callback) => pool.query(`SELECT 1 AS "${text}"`, callback)));
    await pool.end();
  },
  async pgPoolPromises() {
    const pool = new Pool({ ...pgServer, max: 2 });
    await callers(async (text) => {
      await pool.query(`SELECT 1 AS "${text}"`);
      const client = await pool.connect();
      await client.query(`SELECT 2 AS "${text}"`);
      client.release();
    });
    await pool.end();
  },
  async pgClient() {
    const client = new Client(pgServer);
    await client.connect();
    await callers((text) => client.query(`SELECT 1 AS "${text}"`));
    await client.end();
  },
  async redis() {
    const client = createClient({ url: `redis://127.0.0.1:${redisPort}` }).on('error', () => {});
    await client.connect();
    await callers((text) => client.get(text));
    client.destroy();
  },
  async redisBatch() {
    const client = createClient({ url: `redis://127.0.0.1:${redisPort}` }).on('error', () => {});
    await client.connect();
    await callers((text) => client.multi().get(text).get(text).execAsPipeline());
    client.destroy();
  },
  /** Before the connection is ready. */
  async redisOffline() {
    const client = createClient({ url: `redis://127.0.0.1:${redisPort}` }).on('error', () => {});
    const connected = client.connect();
    await callers((text) => client.get(text));
    await connected;
    client.destroy();
  },
  redisPool: () => withRedisPool((pool) => callers((text) => pool.get(text))),
  redisPoolBatch: () =>
    withRedisPool((pool) => callers((text) => pool.multi().get(text).get(text).execAsPipeline())),
  redisPoolExecute: () =>
    withRedisPool((pool) =>
      callers((text) =>
        pool.execute(async (client) => {
          await client.get(text);
          await got(text);
          await client.get(text);
        }),
      ),
    ),
  ioredis: () => withIoredis({}, (client) => callers((text) => client.get(text))),
  ioredisAutoPipelining: () =>
    withIoredis({ enableAutoPipelining: true }, (client) => callers((text) => client.get(text))),
  ioredisPipeline: () =>
    withIoredis({}, (client) => callers((text) => client.pipeline().get(text).get(text).exec())),
  ioredisMulti: () =>
    withIoredis({}, (client) => callers((text) => client.multi().get(text).get(text).exec())),
  async ioredisOffline() {
    const client = new Redis({ port: redisPort, host: '127.0.0.1' }).on('error', () => {});
    await callers((text) => client.get(text));
    client.disconnect();
  },
  /** The first caller makes the connection. */
  async ioredisLazy() {
    const client = new Redis({ port: redisPort, host: '127.0.0.1', lazyConnect: true }).on('error', () => {});
    await callers((text) => client.get(text));
    client.disconnect();
  },
  async mongodb() {
    const server = await listenAsMongo();
    const client = new MongoClient(`mongodb://127.0.0.1:${server.address().port}`, {
      serverApi: '1',
      monitorCommands: true,
      directConnection: true,
      maxPoolSize: 2,
    });
    instrumentMongoClient(client);
    await callers((text) => client.db(text).command({ ping: 1 }));
    await client.close(true);
    server.close();
  },
  httpServer: () =>
    withDatabases((call) =>
      served(
        createServer(async (request, response) => {
          await call(request.url.slice(1));
          response.end();
        }),
      ),
    ),
  express: () =>
    withDatabases((call) => {
      const application = express().get('/:id', async (request, response) => {
        await call(request.params.id);
        response.end();
      });
      return served(createServer(application));
    }),
  fastify: () =>
    withDatabases(async (call) => {
      const application = fastify();
      application.get('/:id', async ({ params }) => {
        await call(params.id);
        return 'here';
      });
      await application.ready();
      await served(application.server);
    }),
});
backend.closeAllConnections();
backend.close();
