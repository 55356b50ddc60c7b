// The demo's application: a small HTTP server that logs what it does for each request. The provider, its events and the
// scenario come from "EventSource Activity Support".
import { once } from 'node:events';
import { createServer, request as sendRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';

export const log = defineEventSource('MyCompany-MyService', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool' }),

  SecurityStart: event({ userName: 'string' }),
  SecurityStop: event({ success: 'bool', errorMessage: 'string' }),

  DatabaseCommandStart: event({ dataBase: 'string', command: 'string' }),
  DatabaseCommandStop: event({ success: 'bool', errorMessage: 'string' }),
});

/** The number of concurrent requests. */
export const REQUESTS = 8;

function runDatabaseCommand(dataBase, command, milliseconds) {
  return log.activity('DatabaseCommand', { dataBase, command }, () => delay(milliseconds));
}

function validate(userName) {
  return log.activity('Security', { userName }, async () => {
    await runDatabaseCommand('Users', `SELECT role FROM users WHERE name = '${userName}'`, 8);
    await delay(4);
  });
}

function processOneRequest(number, request, response) {
  return log.activity('Request', { url: request.url }, async () => {
    await validate(`user${number}`);
    // Two at once, one of them slightly later
    await Promise.all([
      runDatabaseCommand('Orders', 'SELECT * FROM orders', 10 + 2 * number),
      delay(5).then(() => runDatabaseCommand('Stock', 'SELECT * FROM stock', 6 + number)),
    ]);
    // One started by a timer
    await new Promise((resolve) => {
      setTimeout(() => resolve(runDatabaseCommand('Orders', 'UPDATE orders', 5)), 3);
    });
    response.end('done\n');
  });
}

/** Starts the server, sends it all requests at once, and stops it when all have been answered. */
export async function serveRequests() {
  let received = 0;
  const server = createServer((request, response) => {
    received++;
    processOneRequest(received, request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const numbers = Array.from({ length: REQUESTS }, (_, index) => index + 1);
  await Promise.all(numbers.map((number) => get(`http://127.0.0.1:${port}/orders/${number}`)));
  await new Promise((resolve) => server.close(resolve));
}

/** Each on a separate connection, concurrently. */
function get(url) {
  return new Promise((resolve, reject) => {
    const request = sendRequest(url, { agent: false }, (response) => {
      response.resume();
      response.on('end', resolve);
    });
    request.on('error', reject);
    request.end();
  });
}
