// node:http and fetch. The server's request to itself carries the trace, and so becomes part of the tree.
import { once } from 'node:events';
import { createServer } from 'node:http';
import 'tracewright/auto';

const server = createServer(async (request, response) => {
  if (request.url === '/price') return response.end('7');
  const price = await fetch(`${origin}/price`);
  response.end(`It costs ${await price.text()}.\n`);
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const origin = `http://127.0.0.1:${server.address().port}`;

const answer = await fetch(`${origin}/order`);
console.log(await answer.text());
server.closeAllConnections();
server.close();
