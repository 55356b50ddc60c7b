/**
 * Requests on lasting connections, while their activities are kept. Prints how many bytes each leaves in V8's old
 * generation, which grows until V8 collects all of it.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { getHeapSpaceStatistics } from 'node:v8';
import '../../../dist/auto/index.js';
import { keepActivities } from '../../../dist/index.js';

const CONNECTIONS = 10;
const WARM_UP = 500;
const REQUESTS = 2000;
/** Requests of each connection between two collections of the young generation. */
const BATCH = 20;

keepActivities();
const server = createServer((_request, response) => response.end('done')).listen(0, '127.0.0.1');
await once(server, 'listening');
const sockets = Array.from({ length: CONNECTIONS }, () => connect(server.address().port, '127.0.0.1'));
const ask = (socket) => {
  socket.write('GET /orders/17 HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return once(socket, 'data');
};
const askAll = async (requests) => {
  for (let done = 0; done < requests; done++) {
    await Promise.all(sockets.map(ask));
    if (done % BATCH === 0) globalThis.gc({ type: 'minor' });
  }
};
const oldBytes = () =>
  getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space').space_used_size;

await askAll(WARM_UP);
const before = oldBytes();
await askAll(REQUESTS);
const left = (oldBytes() - before) / (REQUESTS * CONNECTIONS);
for (const socket of sockets) socket.destroy();
server.close();
process.stdout.write(JSON.stringify(Math.round(left)));
