// Dies of what its argument says, with a listener to exceptions.
import { RuntimeKeywords } from 'tracewright/runtime';
import { printEvents } from './print-events.mjs';

const subscription = printEvents(RuntimeKeywords.Exceptions);
const deaths = {
  error: () => {
    throw Object.assign(new RangeError('too far'), { code: 'ERR_TOO_FAR' });
  },
  rejection: () => Promise.reject(new TypeError('not a thing')),
  text: () => {
    throw 'just a text';
  },
  hostile: () => {
    throw new Proxy(new Error('never seen'), {
      get() {
        throw new Error('the proxy threw');
      },
      getPrototypeOf() {
        throw new Error('the proxy threw');
      },
    });
  },
  long: () => {
    throw new Error('é'.repeat(100_000));
  },
  caught: () => {
    process.once('uncaughtException', () => console.log('{"name":"caught"}'));
    throw new Error('survived');
  },
  unheard: () => {
    subscription.close();
    throw new Error('nobody listens');
  },
};
setImmediate(deaths[process.argv[2]]);
