// Dies in the way that its argument says, with a listener to exceptions.
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEventSource, event, listen } from 'tracewright';
import { RuntimeKeywords } from 'tracewright/runtime';
import { printEvents } from './print-events.mjs';

const subscription = printEvents(RuntimeKeywords.Exceptions);
const log = defineEventSource('Runtime-Test', {
  WorkStart: event(),
  WorkStop: event({ success: 'bool', errorMessage: 'string' }),
});
listen(log, () => {});
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
  activity: () =>
    log.activity('Work', {}, async () => {
      await sleep(1);
      setTimeout(() => {
        throw new Error('at work');
      });
      // The activity is not to be over before.
      await sleep(1000);
    }),
  unheard: () => {
    subscription.close();
    throw new Error('nobody listens');
  },
};
setImmediate(deaths[process.argv[2]]);
