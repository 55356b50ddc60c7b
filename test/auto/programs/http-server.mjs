// Requests to a server of node:http that arrive and end in each possible way. Each handler notes its activity.
import { once } from 'node:events';
import { Agent, createServer, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { instrument } from '../../../dist/auto/index.js';
import { app, printRecorded } from './recorded.mjs';

const GET = (path, headers = '') => `GET ${path} HTTP/1.1\r\nHost: example.com:8080\r\n${headers}\r\n`;
const note = (text) => app.Note({ text });

/** Runs a server with the handler for as long as the work takes, which gets its port. */
async function serving(handler, work, options = {}) {
  const server = createServer(options, handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    return await work(server.address().port, server);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function connected(port) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => {});
  return socket;
}

/** Resolves when the socket has got so many responses, each of which ends with `.`. */
async function responses(socket, count) {
  let text = '';
  for await (const chunk of socket) {
    text += chunk;
    if (text.split('\n.\r').length > count) return text;
  }
  return text;
}

async function get(port, path, options = {}) {
  const sent = request({ port, path, host: '127.0.0.1', ...options }).end();
  const isClosed = new Promise((resolve) => sent.on('close', resolve));
  const [response] = await once(sent, 'response');
  for await (const _ of response);
  await isClosed;
}

/** Notes before and after it has waited, answers, and notes that as well. */
const answer = (ms) => async (incoming, response) => {
  response.on('finish', () => note(`${incoming.url} is finished`));
  note(`${incoming.url} begins`);
  await delay(typeof ms === 'function' ? ms(incoming) : ms);
  note(`${incoming.url} goes on`);
  response.end('.\r\n');
};

/** When a response has been closed, and all that comes of that has been written. */
const closed = async (response) => {
  await once(response, 'close');
  await delay(1);
};

await printRecorded('Node.Http', {
  async keepAlive() {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await serving(answer(2), async (port) => {
      for (const path of ['/1', '/2', '/3']) await get(port, path, { agent });
    });
    agent.destroy();
  },
  async pipelined() {
    const slow = ({ url }) => (url === '/1' ? 30 : 2);
    await serving(answer(slow), async (port) => {
      const socket = await connected(port);
      socket.write(GET('/1') + GET('/2') + GET('/3'));
      await responses(socket, 3);
      socket.destroy();
      await delay(5);
    });
  },
  async concurrent() {
    await serving(answer(5), (port) => Promise.all([1, 2, 3, 4].map((path) => get(port, `/${path}`))));
  },
  async aborted() {
    let response;
    const handler = (incoming, answered) => {
      note(`${incoming.url} begins`);
      response = answered;
      answered.on('close', () => note('is told'));
    };
    await serving(handler, async (port) => {
      const socket = await connected(port);
      socket.write(GET('/gone'));
      while (response === undefined) await delay(1);
      socket.destroy();
      await closed(response);
    });
  },
  async abortedInBody() {
    let incoming;
    await serving(
      (request) => {
        incoming = request;
        request.on('error', () => {});
        request.resume();
      },
      async (port) => {
        const socket = await connected(port);
        socket.write('POST /half HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf');
        while (incoming === undefined) await delay(1);
        socket.destroy();
        while (!incoming.destroyed) await delay(1);
        await delay(2);
      },
    );
  },
  async pipelinedAndAborted() {
    const open = [];
    await serving(
      (_, response) => open.push(response),
      async (port) => {
        const socket = await connected(port);
        socket.write(GET('/1') + GET('/2') + GET('/3'));
        while (open.length < 3) await delay(1);
        open[1].end('.');
        socket.destroy();
        await closed(open[0]);
      },
    );
  },
  async destroyed() {
    await serving(
      (_, response) => response.destroy(),
      async (port) => {
        await get(port, '/destroyed').catch(() => {});
      },
    );
  },
  async streamed() {
    const handler = (incoming, response) => {
      const parts = [];
      incoming.on('data', (part) => parts.push(part));
      incoming.on('end', () => {
        note('has the body');
        setTimeout(() => {
          note('answers');
          response.write(Buffer.concat(parts));
          response.end();
        }, 2);
      });
      response.on('finish', () => note('is finished'));
      response.on('close', () => note('is closed'));
    };
    await serving(handler, async (port) => {
      const socket = await connected(port);
      socket.write('POST /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\none');
      await delay(10);
      socket.write('two');
      for await (const _ of socket);
    });
  },
  async iteratedBody() {
    const handler = async (incoming, response) => {
      for await (const part of incoming) note(String(part));
      response.end();
    };
    await serving(handler, async (port) => {
      const socket = await connected(port);
      socket.write('POST /stream HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 6\r\n\r\none');
      await delay(10);
      socket.write('two');
      for await (const _ of socket);
    });
  },
  async upgraded() {
    await serving(answer(0), async (port, server) => {
      server.on('upgrade', (_, socket) => {
        app.WorkStart({ text: 'upgrade' });
        note('upgraded');
        app.WorkStop();
        socket.end('HTTP/1.1 101 Switching Protocols\r\n\r\n');
      });
      const socket = await connected(port);
      socket.write(GET('/first'));
      await once(socket, 'data');
      socket.write(GET('/up', 'Connection: Upgrade\r\nUpgrade: other\r\n'));
      for await (const _ of socket);
    });
  },
  async thrown() {
    process.once('uncaughtException', () => note('is caught'));
    let response;
    const handler = (_, answered) => {
      response = answered;
      throw new Error('in the handler');
    };
    await serving(handler, async (port) => {
      const socket = await connected(port);
      socket.write(GET('/thrown'));
      while (response === undefined) await delay(1);
      const isClosed = closed(response);
      socket.destroy();
      await isClosed;
    });
  },
  async failed() {
    const handler = (incoming, response) => {
      response.statusCode = incoming.url === '/500' ? 500 : 404;
      response.end();
    };
    await serving(handler, async (port) => {
      await get(port, '/500');
      await get(port, '/404');
    });
  },
  async described() {
    await serving(answer(0), async (port) => {
      const socket = await connected(port);
      socket.write(
        `${GET('/search?key=secret')}GET http://proxied.example/path?x HTTP/1.1\r\nHost: [::1]\r\n\r\n` +
          'OPTIONS * HTTP/1.0\r\n\r\n',
      );
      for await (const _ of socket);
    });
    instrument({ urlQueries: true });
    await serving(answer(0), (port) => get(port, '/search?key=told', { headers: { host: 'x' } }));
    instrument({ urlQueries: false });
  },
  async withoutHost() {
    await serving(answer(0), async (port) => {
      const socket = await connected(port);
      socket.write('GET /no-host HTTP/1.1\r\n\r\n');
      for await (const _ of socket);
    });
  },
  async traced() {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await serving(answer(0), async (port) => {
      await get(port, '/traced', { headers: { traceparent } });
      await get(port, '/broken', { headers: { traceparent: 'broken' } });
      instrument({ traceparent: false });
      await get(port, '/ignored', { headers: { traceparent } });
      instrument({ traceparent: [] });
    });
  },
  async off() {
    instrument({ httpServer: false });
    await serving(answer(0), (port) => get(port, '/off'));
    instrument({ httpServer: true });
  },
});
