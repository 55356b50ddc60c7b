// A server that answers a slow request, and then one that fails at once; it ends when a flight recorder has written why.

import { readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const { folder } = JSON.parse(process.env.TRACEWRIGHT_FLIGHT_RECORDER);
const server = createServer(async ({ url }, response) => {
  if (url === '/slow') await sleep(200);
  response.writeHead(url === '/broken' ? 500 : 200).end();
});
server.listen(0, '127.0.0.1', async () => {
  const origin = `http://127.0.0.1:${server.address().port}`;
  await (await fetch(`${origin}/slow`)).text();
  await (await fetch(`${origin}/broken`)).text();
  while (!readdirSync(folder).some((name) => name.endsWith('.nettrace'))) await sleep(20);
  process.exit();
});
