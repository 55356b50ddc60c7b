// Queries of pg, which gets channels when it is loaded, each inside the activity Work. Arguments: the folder of the
// libraries, the port of PostgreSQL.
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { app, printRecorded } from './recorded.mjs';

const warnings = [];
process.on('warning', ({ message }) => warnings.push(message));
instrument({ pg: true });
const { Client, Pool } = load('pg');
instrument({ pg: true });

const note = (text) => app.Note({ text });
const inWork = (text, work) => app.activity('Work', { text }, { stop: () => ({}) }, work);
const server = { host: '127.0.0.1', port: Number(process.argv[3]), user: 'postgres', database: 'postgres' };

const called = (call) =>
  new Promise((resolve) => {
    call((error) => {
      note(error ? 'is refused' : 'is answered');
      setImmediate(resolve);
    });
  });

async function withClient(work) {
  const client = new Client(server);
  await client.connect();
  await work(client);
  await client.end();
}

await printRecorded('Node.Database', {
  promises: () =>
    withClient(async (client) => {
      await inWork('', async () => {
        const { rows } = await client.query('SELECT $1::text AS a, 7 AS b', ['secret']);
        note(rows[0].a);
        await client.query({ text: 'SELECT nothing FROM nowhere' }).catch(() => note('is refused'));
      });
    }),
  /** Fails before the server has heard of it. */
  client: () =>
    inWork('', async () => {
      await withClient(async (client) => {
        const own = { toPostgres: () => own, toString: () => 'secret' };
        await client.query('SELECT $1::json', [own]).catch(() => {});
        await client.query('SELECT $1::int', 7).catch(() => {});
      });
      const ended = new Client(server);
      await ended.connect();
      await ended.end();
      await ended.query('SELECT 1').catch(() => {});
    }),
  callbacks: () =>
    withClient(async (client) => {
      await inWork('', () => called((callback) => client.query("SELECT 'secret'", callback)));
      await inWork('', () => called((callback) => client.query('SELECT $1::int', [7], callback)));
      await inWork('', () => called((callback) => client.query({ text: 'SELECT 7', callback })));
    }),
  /** One connection for all, which each has from the one before. */
  async pool() {
    const pool = new Pool({ ...server, max: 1 });
    await pool.query('SELECT 1');
    const one = (text) =>
      inWork(text, () => called((callback) => pool.query(`SELECT pg_sleep(0.01) AS "${text}"`, callback)));
    await Promise.all(['a', 'b', 'c', 'd'].map(one));
    await pool.end();
  },
  async poolPromises() {
    const pool = new Pool({ ...server, max: 2 });
    const one = (text) =>
      inWork(text, async () => {
        await pool.query(`SELECT pg_sleep(0.01) AS "${text}"`);
        note(text);
        const client = await pool.connect();
        await client.query(`SELECT 2 AS "${text}"`);
        note(text);
        client.release();
      });
    await Promise.all(['a', 'b', 'c', 'd', 'e'].map(one));
    await pool.end();
  },
  async refused() {
    await inWork('', async () => {
      await new Client({ ...server, port: 1 }).connect().catch(() => {});
    });
    await delay(1);
  },
  async off() {
    instrument({ pg: false });
    await withClient((client) => inWork('', () => client.query('SELECT 1')));
    return warnings;
  },
});
