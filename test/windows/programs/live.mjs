// `live.mjs OPTIONS ARGUMENT...`: the command line of tracewright, and a program that writes events, in one process.
// What is printed between the lines `live` and `end` is the command's. OPTIONS is JSON:
//
//   fail     [[operation, status]...]  what ETW's next calls answer
//   left     [name...]                 sessions that run already
//   session  name                      another program's session in real time has the provider on
//   events   how many to write, besides those of an activity; default 0
//   room     how many bytes of events the session has room for; the events are then written without a pause in which
//            they could be delivered
//   ends     'session': another program ends the session; 'exit': the program itself; otherwise Ctrl-C ends the command
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineEventSource, event } from 'tracewright';
import { addSession, endSession, failNext, limitRealTime, mark, setLists } from '../recorder/recorder.mjs';

const [options, ...args] = process.argv.slice(2);
const { fail = [], left = [], session, events = 0, room, ends } = JSON.parse(options);
for (const [operation, status] of fail) failNext(operation, status);
for (const name of left) addSession(name, '');
if (left.length > 0) setLists({ sessions: left.map((name, number) => ({ number, name })) });
if (room !== undefined) limitRealTime(room);

const log = defineEventSource('Live', {
  RequestStart: event({ url: 'string' }),
  RequestStop: event({ success: 'bool', errorMessage: 'string' }),
  QueryStart: event({ text: 'string' }),
  QueryStop: event({}),
  Step: event({ number: 'uint32' }),
});
const manifest = defineEventSource(
  'LiveManifest',
  { Told: event({ text: 'string' }) },
  { etwFormat: 'manifest' },
);
if (session !== undefined) addSession(session, '', { realTimeOf: log.guid });

process.argv = [...process.argv.slice(0, 2), 'live', ...args];
await import('../node_modules/tracewright/dist/cjs/cli.cjs');
while (fail.length === 0 && !log.Step.enabled) await pause(5);
// The manifest is written when the command to its provider has come.
const hasManifest = () =>
  readFileSync(process.env.TRACEWRIGHT_ETW_LOG, 'utf8').includes('"descriptor":"feff');
while (args.includes('LiveManifest') && !hasManifest()) await pause(5);
await log.activity('Request', { url: '/ä' }, async () => {
  log.Step({ number: 0 });
  await log.activity('Query', { text: 'select' }, () => manifest.Told({ text: 'in it' }));
});
for (let number = 1; number <= events; number++) {
  log.Step({ number });
  if (room === undefined && number % 100 === 0) await pause(10);
}
// Longer than the command waits between flushes.
if (room === undefined) await pause(150);
mark('written');
if (ends === 'session') endSession(session);
else if (ends === 'exit') process.exit(3);
else if (fail.length === 0) process.emit('SIGINT', 'SIGINT');
