// Serves requests that it makes itself, one after the other; each keeps the event loop busy for 60 ms.
import { createServer, get } from 'node:http';

function keepBusy() {
  for (const end = performance.now() + 60; performance.now() < end; );
}

const server = createServer((_request, response) => {
  keepBusy();
  response.end('done');
});
server.listen(0, '127.0.0.1', ask);
function ask() {
  get({ host: '127.0.0.1', port: server.address().port, path: '/busy/17' }, (response) => {
    response.resume().on('end', () => setTimeout(ask, 20));
  });
}
