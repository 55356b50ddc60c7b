// Queries and commands to real servers, each inside the activity Work. Arguments: the folder of the libraries, the port
// of MariaDB, the port of Redis.
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const [, , , mysqlPort, redisPort] = process.argv.map(Number);
const mysql = load('mysql2');
const { createClient } = load('redis');
const Redis = load('ioredis');

const note = (text) => app.Note({ text });
const inWork = (text, work) => app.activity('Work', { text }, { stop: () => ({}) }, work);
const server = { host: '127.0.0.1', port: mysqlPort, user: 'root', database: 'mysql' };

/** Of an API with callbacks: what is noted in the callback belongs to who has called. */
const called = (call) =>
  new Promise((resolve) => {
    call((error) => {
      note(error === null ? 'is answered' : 'is refused');
      setImmediate(resolve);
    });
  });

/** Runs the work with a client of Redis that is connected already. */
async function withRedis(work) {
  const client = createClient({ url: `redis://127.0.0.1:${redisPort}` }).on('error', () => {});
  await client.connect();
  await work(client);
  client.destroy?.();
}

async function withIoredis(work) {
  const client = new Redis(redisPort, '127.0.0.1', { lazyConnect: true }).on('error', () => {});
  await client.connect();
  await work(client);
  client.disconnect();
}

await printRecorded('Node.Database', {
  async mysqlConnection() {
    const connection = mysql.createConnection(server);
    await inWork('', () =>
      called((callback) => connection.query('SELECT ? AS secret', ['it is 7'], callback)),
    );
    await inWork('', () => called((callback) => connection.execute('SELECT ? AS secret', [7], callback)));
    await inWork('', () => called((callback) => connection.query('SELECT nothing FROM nowhere', callback)));
    instrument({ sqlValues: true });
    await inWork('', () => called((callback) => connection.query('SELECT 7', callback)));
    instrument({ sqlValues: false });
    connection.destroy();
  },
  /** One connection for all, which each has from the one before. */
  async mysqlPool() {
    const pool = mysql.createPool({ ...server, connectionLimit: 1 });
    await called((callback) => pool.query('SELECT 1', callback));
    const one = (text) =>
      inWork(text, () => called((callback) => pool.query(`SELECT SLEEP(0.01) AS \`${text}\``, callback)));
    await Promise.all(['a', 'b', 'c', 'd'].map(one));
    await new Promise((resolve) => pool.end(resolve));
  },
  async mysqlPromises() {
    const pool = mysql.createPool({ ...server, connectionLimit: 2 }).promise();
    const one = (text) =>
      inWork(text, async () => {
        await pool.query(`SELECT SLEEP(0.01) AS \`${text}\``);
        note(text);
        await pool.execute(`SELECT 2 AS \`${text}\``);
        note(text);
      });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(one));
    await pool.end();
  },
  async mysqlStream() {
    const connection = mysql.createConnection(server);
    await inWork('', async () => {
      let rows = 0;
      for await (const _ of connection.query('SELECT seq FROM seq_1_to_500').stream()) rows++;
      note(String(rows));
    });
    connection.destroy();
  },
  async mysqlRefused() {
    await inWork('', async () => {
      const connection = mysql.createConnection({ ...server, port: 1 });
      await new Promise((resolve) => connection.on('error', resolve));
    });
    await delay(2);
  },
  redis: () =>
    withRedis(async (client) => {
      await inWork('', async () => {
        await client.set('key', 'secret');
        note(await client.get('key'));
        await client.lPush('key', 'x').catch(() => note('is refused'));
      });
    }),
  redisBatch: () =>
    withRedis(async (client) => {
      await inWork('', async () => {
        await client.multi().set('key', '1').incr('key').exec();
        await client.multi().set('key', '1').incr('key').execAsPipeline();
        note('is answered');
      });
    }),
  redisConcurrent: () =>
    withRedis((client) =>
      Promise.all(
        ['a', 'b', 'c', 'd'].map((text) =>
          inWork(text, async () => {
            await Promise.all([client.set(text, '1'), client.get(text)]);
            note(text);
          }),
        ),
      ),
    ),
  ioredis: () =>
    withIoredis(async (client) => {
      await inWork('', async () => {
        await client.set('key', 'secret');
        note(await client.get('key'));
        await client.lpush('key', 'x').catch(() => note('is refused'));
      });
    }),
  ioredisBatch: () =>
    withIoredis(async (client) => {
      await inWork('', async () => {
        await client.multi().set('key', '1').incr('key').exec();
        await client.pipeline().set('key', '1').incr('key').exec();
        note('is answered');
      });
    }),
  ioredisConcurrent: () =>
    withIoredis((client) =>
      Promise.all(
        ['a', 'b', 'c', 'd'].map((text) =>
          inWork(text, async () => {
            await Promise.all([client.set(text, '1'), client.get(text)]);
            note(text);
          }),
        ),
      ),
    ),
  async off() {
    instrument({ mysql2: false, redis: false, ioredis: false });
    await withRedis((client) => inWork('', () => client.get('key')));
    await withIoredis((client) => inWork('', () => client.get('key')));
    const connection = mysql.createConnection(server);
    await inWork('', () => called((callback) => connection.query('SELECT 1', callback)));
    connection.destroy();
    instrument({ mysql2: true, redis: true, ioredis: true });
  },
});
