// A separate server for one variant: `node server.mjs FRAMEWORK VARIANT`. It sends its port when it listens, and its
// CPU time on request. Each request is answered after a query; a variant adds ten events, or lines, and two activities:
// the request and the query.
import { requirePeer } from '../peer.mjs';
import { variants } from './variants.mjs';

const [framework, variant] = process.argv.slice(2);

/** Connections wait for their turn, which may take longer than the default of five seconds. */
const keepAliveTimeout = 600_000;

/** What a database driver does, from Node.js's point of view: a reply, later. */
const query = () => new Promise((resolve) => setImmediate(resolve, 17));

const frameworks = {
  http: (handle) => {
    // Not imported: changes by an instrumentation are visible through `require`.
    const { createServer } = requirePeer('node:http');
    const server = createServer({ keepAliveTimeout }, async (request, response) => {
      const rows = await handle(request.method, request.url, query);
      response.setHeader('content-type', 'application/json');
      response.end(`{"rows":${rows}}`);
    });
    return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)));
  },
  fastify: async (handle) => {
    const app = requirePeer('fastify')({ keepAliveTimeout });
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
  process.send?.(user + system);
});
process.send?.(port);
