// A server of its own, for one variant: `node server.mjs FRAMEWORK VARIANT`. It tells its port when it listens, and
// its CPU time whenever it is asked. Each request is answered after a query; what a variant adds is ten events, or
// lines, and the two activities: the request and the query.
import { requirePeer } from '../peer.mjs';
import { variants } from './variants.mjs';

const [framework, variant] = process.argv.slice(2);

/** What a database's driver does, as far as Node.js sees it: an answer, later. */
const query = () => new Promise((resolve) => setImmediate(resolve, 17));

const frameworks = {
  http: (handle) => {
    // Not imported: what an instrumentation has changed is seen through `require`.
    const { createServer } = requirePeer('node:http');
    const server = createServer(async (request, response) => {
      const rows = await handle(request.method, request.url, query);
      response.setHeader('content-type', 'application/json');
      response.end(`{"rows":${rows}}`);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  },
  fastify: async (handle) => {
    const app = requirePeer('fastify')();
    app.get('/orders/:id', async (request) => ({ rows: await handle(request.method, request.url, query) }));
    await app.listen({ port: 0, host: '127.0.0.1' });
    return app.server.address().port;
  },
};

const { handle, close } = await variants[variant]();
const port = await frameworks[framework](handle);
process.on('message', async (message) => {
  if (message === 'close') {
    await close?.();
    process.exit();
  }
  const { user, system } = process.cpuUsage();
  process.send(user + system);
});
process.send(port);
