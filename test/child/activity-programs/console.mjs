// Prints what the console prints while its lines become events, and the events.
import { AsyncLocalStorage } from 'node:async_hooks';
import { defineEventSource, EventListener, event, listen } from '../../../dist/index.js';
import { consoleEvents } from '../../../dist/integrations/console.js';

const printed = [];
const write = (chunk) => printed.push(chunk);
const [stdoutWrite, stderrWrite] = [process.stdout.write, process.stderr.write];

const log = defineEventSource('Console-Program', { RequestStart: event(), RequestStop: event() });
listen(log, () => {});
const told = [];
new EventListener({
  onEventSourceCreated: (source, listener) => {
    if (source.name === 'Node.Logs') listener.enableEvents(source, 0);
  },
  onEventWritten: ({ name, payload, activityId }) => {
    told.push([
      name,
      payload.levelName,
      payload.message,
      payload.error.slice(0, 9),
      activityId !== undefined,
    ]);
    console.log('in a listener');
  },
});

function print() {
  const circle = { name: 'circle' };
  circle.self = circle;
  console.log('a %s', 'line', circle);
  console.info(5n, Symbol('s'));
  console.debug();
  console.warn({ warned: true });
  console.error(new Error('wrong').message, new RangeError('far').name);
  log.activity('Request', {}, { stop: () => ({}) }, () =>
    console.error(Object.assign(new Error('no tea'), { stack: 'Error: no tea\n    at /' })),
  );
  new AsyncLocalStorage().run(1, () => console.log('x'.repeat(5000)));
}

function printedBy(work) {
  printed.length = 0;
  process.stdout.write = process.stderr.write = write;
  work();
  process.stdout.write = stdoutWrite;
  process.stderr.write = stderrWrite;
  return printed.filter((text) => text !== 'in a listener\n');
}

const before = printedBy(print);
const names = Object.values(console).map(({ name }) => name);
const events = consoleEvents();
const during = printedBy(print);
const sameNames = String(Object.values(console).map(({ name }) => name)) === String(names);
const count = told.length;
events.close();
const after = printedBy(print);

console.log(
  JSON.stringify({
    isSame: String(before) === String(during) && String(during) === String(after),
    sameNames,
    toldAfter: told.length - count,
    told: told.map(([name, level, message, ...others]) => [
      name,
      level,
      message.length < 2000 ? message : 'long',
      ...others,
    ]),
  }),
);
