/**
 * A server in which a request to each route waits for something else, until the end of the process; `/stuck` never
 * returns to the event loop. `PEER` is the port of a peer that never answers.
 */
import { pbkdf2 } from 'node:crypto';
import { tracingChannel } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const FOREVER_MS = 600_000;
const server = { database: 'shop', serverAddress: 'db', serverPort: 3306 };
const never = () => new Promise(() => {});
/** As mysql2 reports its calls. */
const call = (channel, message) =>
  tracingChannel(`mysql2:${channel}`).tracePromise(never, { ...server, ...message });

function burn() {
  let sum = 0;
  while (sum >= 0) sum = (sum * 31 + 7) % 1e9;
}

const routes = {
  query: () => call('query', { query: 'SELECT * FROM tea WHERE id = 7' }),
  connect: () => call('connect', {}),
  acquire: () => call('pool:connect', {}),
  sleep: () => sleep(FOREVER_MS),
  fs: async () => {
    // All threads of the pool have enough to do.
    for (let i = 0; i < 8; i++) pbkdf2('secret', 'salt', 20_000_000, 64, 'sha512', () => {});
    await stat('/');
  },
  outgoing: async () => once(get({ port: process.env.PEER, host: '127.0.0.1', path: '/slow' }), 'response'),
  body: async (request) => {
    for await (const _ of request);
  },
  drain: async (_, response) => {
    for (;;) if (!response.write('tea'.repeat(100_000))) await once(response, 'drain');
  },
  never,
  stuck: burn,
};

createServer(async (request, response) => {
  const [, route] = request.url.split('/');
  await routes[route](request, response);
  response.end('done');
}).listen(0, '127.0.0.1', function listening() {
  console.log(this.address().port);
});
