/**
 * Records a server whose requests share the thread pool, and prints what it measured and how tracewright explains it:
 * `GET /hash` fills the pool, and `GET /read` waits behind that for its file.
 */
import { once } from 'node:events';
import { get } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { openTrace } from '../../../dist/cjs/trace.mjs';
import { recordServer } from './recorded-server.mjs';

const { port, trace, explanation } = await recordServer('thread-pool-server.mjs');

const begin = async (path) => {
  const [response] = await once(get({ port, host: '127.0.0.1', path, agent: false }), 'response');
  return response.setEncoding('utf8');
};
const endOf = async (response) => {
  let text = '';
  for await (const chunk of response) text += chunk;
  return text;
};
const ask = async (path) => endOf(await begin(path));

for (let round = 0; round < 4; round++) {
  for (let i = 0; i < 10; i++) {
    await ask(`/read/${round}${i}`);
    await sleep(5);
  }
  const hash = await begin(`/hash/${round}`);
  // The canary may come 10 ms after the one before it.
  await sleep(20);
  await Promise.all([endOf(hash), ask(`/read/${round}-behind`), ask(`/compress/${round}-behind`)]);
}
const truths = JSON.parse(await ask('/truths'));
const explained = await explanation();
const delays = [];
for await (const { name, payload } of await openTrace(trace)) {
  if (name === 'ThreadPoolDelay') delays.push(payload.delayMSec);
}
console.log(JSON.stringify({ truths, delays, explanation: explained }));
