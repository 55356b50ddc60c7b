// Serves one request, which keeps the event loop busy for 100 ms.
import { createServer, get } from 'node:http';

function keepBusy() {
  for (const end = performance.now() + 100; performance.now() < end; );
}

const server = createServer((_request, response) => {
  keepBusy();
  response.end('done');
});
server.listen(0, '127.0.0.1', () => {
  get({ host: '127.0.0.1', port: server.address().port, path: '/busy/17' }, (response) => {
    response.resume().on('end', () => server.close());
  });
});
