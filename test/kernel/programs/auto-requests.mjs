// A server whose requests are activities by themselves: with calls to another server, failures and clients that hang
// up. Arguments: how many requests, and a file for what happened.
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { Agent, createServer, request } from 'node:http';

const [requests, connections, file] = [Number(process.argv[2]), Number(process.argv[3]), process.argv[4]];
/** The numbers of the requests that came, and what each has done, as the server itself counts them. */
const came = [];
const done = [];

const backend = createServer((_, response) => response.end('here')).listen(0, '127.0.0.1');
await once(backend, 'listening');

const server = createServer(async (incoming, response) => {
  const id = Number(incoming.url.split('/')[2]);
  came.push(id);
  const counts = { lines: 0, queries: 0, commands: 0, calls: 0 };
  done.push([id, counts]);
  for (let call = 0; call < id % 3; call++) {
    counts.calls++;
    const answer = await fetch(`http://127.0.0.1:${backend.address().port}/backend/${id}`);
    await answer.text();
  }
  response.statusCode = id % 7 === 0 ? 500 : 200;
  if (id % 20 !== 0) response.end('done');
}).listen(0, '127.0.0.1');
await once(server, 'listening');

const agent = new Agent({ keepAlive: true, maxSockets: connections });
let next = 0;
async function client() {
  while (next < requests) {
    const id = next++;
    const outgoing = request({ port: server.address().port, path: `/plain/${id}`, agent });
    outgoing.end();
    if (id % 20 === 0) setTimeout(() => outgoing.destroy(), 30);
    await new Promise((resolve) => {
      outgoing.on('response', (response) => response.resume().on('end', resolve));
      outgoing.on('error', resolve);
    });
  }
}
await Promise.all(Array.from({ length: connections }, client));
agent.destroy();
for (const each of [server, backend]) {
  each.closeAllConnections();
  each.close();
}
writeFileSync(file, JSON.stringify({ came, done }));
