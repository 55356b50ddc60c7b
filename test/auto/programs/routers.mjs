// Requests to routers that publish no channel, which the application tells setRoute about, and to h3, which publishes
// one. Argument: the folder of the libraries.
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setRoute } from '../../../dist/auto/index.js';
import { load } from './libraries.mjs';
import { printRecorded } from './recorded.mjs';

const imported = (name) => import(pathToFileURL(load.resolve(name)));
const Koa = load('koa');
const Router = load('@koa/router');
const { Hono } = load('hono');
const { routePath } = load('hono/route');
const { getRequestListener } = load('@hono/node-server');
const { H3, toNodeHandler } = await imported('h3');
const { tracingPlugin } = await imported('h3/tracing');

async function asked(listener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const paths = ['/users/7', '/nothing'];
  const { port } = server.address();
  for (const path of paths) await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  await delay(2);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

await printRecorded('Node.Http', {
  async koa() {
    const router = new Router().get('/users/:id', async (context) => {
      await delay(1);
      context.body = context.params.id;
    });
    const application = new Koa();
    application.use(async (context, next) => {
      await next();
      setRoute(context._matchedRoute);
    });
    application.use(router.routes());
    await asked(application.callback());
  },
  async hono() {
    const application = new Hono();
    application.use(async (context, next) => {
      await next();
      setRoute(routePath(context, -1));
    });
    application.get('/users/:id', async (context) => {
      await delay(1);
      return context.text(context.req.param('id'));
    });
    await asked(getRequestListener(application.fetch));
  },
  async h3() {
    const application = new H3({ plugins: [tracingPlugin()] }).get('/users/:id', () => 'here');
    await asked(toNodeHandler(application));
  },
  async setInTime() {
    setRoute('/outside');
    await asked(async (request, response) => {
      if (request.url === '/nothing') return response.end();
      setRoute('/first');
      await delay(1);
      setTimeout(() => {
        setRoute('/users/:id');
        response.end();
        response.on('close', () => setImmediate(setRoute, '/late'));
      });
    });
  },
  async http2() {
    const server = createHttp2Server((request, response) => {
      setRoute('/users/:id');
      response.end(request.url);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const session = connect(`http://127.0.0.1:${server.address().port}`);
    const stream = session.request({ ':path': '/users/7' }).resume();
    await once(stream, 'close');
    await delay(2);
    session.destroy();
    server.close();
  },
});
