// Serves requests of its own, one after the other; "bad" blocks the loop, fails, and calls itself again and again.
import { createServer, get } from 'node:http';

const isBad = process.argv[2] === 'bad';
/** Longer than a busy machine takes to load modules. */
const LONGEST_MS = 2000;
let exports = 0;
const request = (path) =>
  new Promise((resolve) =>
    get({ port: server.address().port, host: '127.0.0.1', path }, (response) =>
      response.resume().on('end', resolve),
    ),
  );
function burn(until) {
  while (performance.now() < until);
}
const server = createServer(async (incoming, response) => {
  const { url } = incoming;
  if (url === '/export' && isBad) burn(performance.now() + (exports++ === 0 ? LONGEST_MS : 300));
  if (url === '/pay' && isBad) response.statusCode = 500;
  for (let i = 0; url === '/cart' && i < (isBad ? 6 : 1); i++) await request(`/item/${i}`);
  response.end();
});
server.listen(0, '127.0.0.1', async () => {
  for (let i = 0; i < 10; i++) for (const path of ['/export', '/pay', '/cart']) await request(path);
  server.close();
});
