// For each kind of repeated callback, shows how a bare Start in one call affects the others, and prints the paths of
// the events: two calls overlap, each a Request with a Note after an await and its Stop.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { Agent, createServer as createHttpServer, request } from 'node:http';
import { connect, createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';
import { activityPath, defineEventSource, event, listen } from '../../../dist/index.js';

const CALLS = 3;

const log = defineEventSource('Callbacks', {
  OuterStart: event(),
  OuterStop: event(),
  ScopeStart: event(),
  ScopeStop: event(),
  StepStart: event(),
  StepStop: event(),
  RequestStart: event({ call: 'int32' }),
  RequestStop: event({ call: 'int32' }),
  Note: event({ call: 'int32' }),
});

/** Resolves when so many calls have come to a point. */
function gathering(count) {
  let all;
  const gathered = new Promise((resolve) => {
    all = resolve;
  });
  return () => {
    if (--count === 0) all();
    return gathered;
  };
}

/** Each has `call` called three times, and resolves when it may be torn down. */
const ways = {
  async setInterval(call, ended) {
    let count = 0;
    const timer = setInterval(() => {
      call();
      if (++count === CALLS) clearInterval(timer);
    }, 1);
    await ended;
  },
  async refreshedTimeout(call, ended) {
    let count = 0;
    const timer = setTimeout(() => {
      call();
      if (++count < CALLS) timer.refresh();
    }, 1);
    await ended;
  },
  async setImmediate(call, ended) {
    for (let count = 0; count < CALLS; count++) setImmediate(() => call());
    await ended;
  },
  async messagePort(call, ended) {
    const { port1, port2 } = new MessageChannel();
    port2.on('message', () => call());
    for (let count = 0; count < CALLS; count++) port1.postMessage(count);
    await ended;
    port2.close();
  },
  async socket(call, ended) {
    const server = createServer((socket) =>
      socket.on('error', () => {}).on('data', () => call(() => socket.write('next'))),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect(server.address().port, '127.0.0.1');
    let sent = 0;
    const send = () => {
      if (sent++ < CALLS) client.write('a');
    };
    client.on('data', send).on('connect', send);
    await ended;
    client.destroy();
    server.close();
  },
  async udp(call, ended) {
    const socket = createSocket('udp4');
    socket.on('message', () => call());
    await once(socket.bind(0, '127.0.0.1'), 'listening');
    const sender = createSocket('udp4');
    for (let count = 0; count < CALLS; count++) sender.send('a', socket.address().port, '127.0.0.1');
    await ended;
    socket.close();
    sender.close();
  },
  async keepAlive(call, ended) {
    const server = createHttpServer((_, response) => call(() => response.end('done')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    for (let count = 0; count < CALLS; count++) {
      const [response] = await once(
        request({ port: server.address().port, host: '127.0.0.1', agent }).end(),
        'response',
      );
      await once(response.resume(), 'end');
    }
    await ended;
    agent.destroy();
    server.close();
  },
  async pipelining(call, ended) {
    const server = createHttpServer((_, response) => call(() => response.end('done')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const client = connect(server.address().port, '127.0.0.1');
    await once(client, 'connect');
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(CALLS));
    client.resume();
    await ended;
    client.destroy();
    server.closeAllConnections();
    server.close();
  },
};

const results = {};
for (const variant of ['bare', 'bareAfterAwait', 'aroundScope', 'inScope', 'inside']) {
  for (const [name, way] of Object.entries(ways)) {
    const started = gathering(CALLS);
    let allEnded;
    const ended = new Promise((resolve) => {
      allEnded = resolve;
    });
    let calls = 0;
    let endedCalls = 0;
    const call = async (reply = () => {}) => {
      const number = ++calls;
      if (variant === 'bareAfterAwait') {
        log.Note({ call: number });
        await null;
      }
      log.RequestStart({ call: number });
      if (variant === 'aroundScope') log.activity('Scope', {}, { stop: () => ({}) }, () => log.StepStart());
      reply();
      await started();
      log.Note({ call: number });
      await null;
      log.RequestStop({ call: number });
      if (++endedCalls === CALLS) allEnded();
    };
    const callInScope = (reply) => log.activity('Scope', {}, { stop: () => ({}) }, () => call(reply));
    const events = [];
    const subscription = listen(log, ({ name, activityId, payload }) => {
      events.push([payload.call, name, activityId === undefined ? '-' : activityPath(activityId)]);
    });
    const run = () => way(variant === 'inScope' ? callInScope : call, ended);
    await (variant === 'inside' ? log.activity('Outer', {}, { stop: () => ({}) }, run) : run());
    subscription.close();
    await turn();
    results[`${variant} ${name}`] = events.filter(([number]) => number !== undefined);
  }
}
console.log(JSON.stringify(results));
