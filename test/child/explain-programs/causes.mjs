/** Records the server with the seeded causes under load, and prints what it measured and how tracewright explains it. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { recordServer } from './recorded-server.mjs';

/** How often each path of `/flaky` was asked for: the first two times fail. */
const flaky = new Map();
const peer = createServer(async (incoming, response) => {
  const { pathname, searchParams } = new URL(incoming.url, 'http://peer');
  await sleep(Number(searchParams.get('ms') ?? 0));
  if (pathname.startsWith('/flaky')) {
    flaky.set(pathname, (flaky.get(pathname) ?? 0) + 1);
    if (flaky.get(pathname) < 3) response.statusCode = 503;
  }
  response.end('answer');
});
peer.listen(0, '127.0.0.1');
await once(peer, 'listening');

/** Answers each question after a while: there is no such name. */
const names = createSocket('udp4', async (question, { port, address }) => {
  const answer = Buffer.from(question);
  answer.writeUInt16BE(0x8183, 2);
  await sleep(150);
  names.send(answer, port, address);
});
names.bind(0, '127.0.0.1');
await once(names, 'listening');

const { port, explanation } = await recordServer('seeded-causes.mjs', {
  PEER: peer.address().port,
  DNS: names.address().port,
});

function ask(path, { body, isSlow } = {}) {
  return new Promise((resolve, reject) => {
    const asking = request({ port, host: '127.0.0.1', path, method: body === undefined ? 'GET' : 'POST' });
    asking.on('error', reject);
    asking.on('response', async (response) => {
      if (isSlow) {
        response.pause();
        await sleep(250);
      }
      let text = '';
      response.on('data', (chunk) => {
        if (chunk.length < 10_000) text += chunk;
      });
      response.on('end', () => resolve(text));
      response.resume();
    });
    if (body === undefined) asking.end();
    else body(asking);
  });
}

const upload = async (asking) => {
  asking.write('first');
  await sleep(200);
  asking.end('last');
};

/** Light requests come all the time. */
let isOver = false;
const light = (async () => {
  for (let i = 0; !isOver; i++) {
    await ask(`/light/${i}`);
    await sleep(10);
  }
})();

const ALONE = ['cpu', 'gc', 'sync-fs', 'exec', 'pbkdf2', 'cold', 'lock', 'held-by-timer'];
for (let round = 0; round < 3; round++) {
  const of = (route) => `/${route}/${round}`;
  for (const route of ALONE) await ask(of(route));
  const held = ask(of('held'));
  await sleep(20);
  await Promise.all([held, ask(of('hog'))]);
  await Promise.all([1, 2, 3, 4, 5, 6].map((each) => ask(`/pool/${round}${each}`)));
  await Promise.all([1, 2, 3, 4, 5, 6].map((each) => ask(`/agent/${round}${each}`)));
  await Promise.all([
    ask(of('dns')),
    ask(of('slow-lookup')),
    ask(of('sleep')),
    ask(of('n1-in-turn')),
    ask(of('downstream')),
    ask(of('retry')),
    ask(of('upload'), { body: upload }),
  ]);
  await ask(of('n1-in-parallel'));
  await ask(of('slow-reader'), { isSlow: true });
}
isOver = true;
await light;
const truths = JSON.parse(await ask('/truths'));
const explained = await explanation();
peer.close();
peer.closeAllConnections();
names.close();
console.log(JSON.stringify({ truths, explanation: explained }));
