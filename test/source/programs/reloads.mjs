/** Defines a source of 22 events repeatedly: a different one each time, which it closes, or the same one. */
import { defineEventSource, event } from '../../../dist/index.js';
import { theTracer } from '../../../dist/platform/tracer.js';

const EVENTS = Object.fromEntries(
  Array.from({ length: 22 }, (_, n) => [`Event${n}`, event({ n: 'int32', text: 'string' })]),
);

function reload(count, from) {
  for (let n = from; n < from + count; n++) {
    if (process.argv[2] === 'same') defineEventSource('Reloaded', EVENTS);
    else defineEventSource(`Reloaded-${n}`, EVENTS).close();
  }
}

function usedBytes() {
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

reload(200, 0);
await new Promise(setImmediate);
const before = usedBytes();
reload(3000, 200);
await new Promise(setImmediate);
console.log(
  JSON.stringify({ grownBytes: usedBytes() - before, freshWords: theTracer().allocate().words.length }),
);
