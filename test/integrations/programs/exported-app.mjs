// A server with automatic activities, which it sends to a collector, unless the second argument says otherwise. The
// first argument is the number of requests to expect.
import { once } from 'node:events';
import { createServer } from 'node:http';
import '../../../dist/auto/index.js';
import { defineEventSource, event } from '../../../dist/index.js';
import { exportActivities } from '../../../dist/integrations/otlp.js';

const [count, silently] = process.argv.slice(2);
const app = defineEventSource('App', {
  Note: event({ text: 'string' }),
  WorkStart: event({ number: 'int32' }),
  WorkStop: event(),
});
const otlp = silently ? undefined : exportActivities();
const server = createServer((request, response) => {
  const status = request.url === '/fails' ? 500 : 200;
  app.activity('Work', { number: 1 }, () => app.Note({ text: 'inside' }));
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;
for (let i = 0; i < count; i++) await (await fetch(`${origin}/${i === 0 ? 'fails' : 'works'}`)).text();
server.closeAllConnections();
server.close();
// Nothing is left to do: the rest is sent by itself.
process.on('exit', () => console.log(JSON.stringify(otlp?.result)));
