// Serves requests of its own, one after the other; "after" sleeps longer, fails, and has a further route.
import { createServer, get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const isAfter = process.argv[2] === 'after';
const server = createServer(async (request, response) => {
  if (request.url === '/sleep') await sleep(isAfter ? 60 : 20);
  if (request.url === '/fail' && isAfter) response.statusCode = 500;
  response.end();
});
server.listen(0, '127.0.0.1', async () => {
  const { port } = server.address();
  const paths = ['/same', '/sleep', '/fail', ...(isAfter ? ['/new'] : [])];
  for (let i = 0; i < 60; i++) {
    for (const path of paths) {
      await new Promise((resolve) =>
        get({ port, host: '127.0.0.1', path }, (response) => response.resume().on('end', resolve)),
      );
    }
  }
  server.close();
});
