// pino: each line has the ids of its request, even while nobody records, and is an event of the request while somebody
// does.
import { once } from 'node:events';
import { createServer } from 'node:http';
import pino from 'pino';
import { keepActivities } from 'tracewright';
import 'tracewright/auto';
import { activityMixin, eventStream } from 'tracewright/pino';

keepActivities();
const log = pino(
  { mixin: activityMixin() },
  pino.multistream([
    { level: 'info', stream: process.stdout },
    { level: 'trace', stream: eventStream() },
  ]),
);

const server = createServer((request, response) => {
  log.info({ url: request.url }, 'order placed');
  response.end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
for (const path of ['/tea', '/milk']) await fetch(`http://127.0.0.1:${server.address().port}${path}`);
server.closeAllConnections();
server.close();
