// The command line of tracewright, with what ETW answers to it, and what else happens meanwhile:
// `command-line.mjs ANSWERS ARGUMENT...`, where ANSWERS is JSON:
//
//   fail      [[operation, status]...]   what ETW's next calls answer
//   lost      [events, buffers]          what the session says it has lost
//   leftBehind file                      an earlier recording's session runs, and writes this file
//   file      [name, bytes]              a file that is there, once the session runs
//   lists     what setLists of recorder.mjs takes
//   before    { name: text }             files that are there before; what they are afterwards is printed as JSON
//   ends      how the recording ends: 'session', which another program or ETW itself ends; the name of a signal, as
//             Node.js tells the program of it, or several; 'exit', the program's own end; with it, the command line
//             takes no --duration
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { addSession, endSession, failNext, setLists, setLosses } from '../recorder/recorder.mjs';

const [answers, ...args] = process.argv.slice(2);
const { fail = [], lost = [0, 0], leftBehind, lists, file, before = {}, ends } = JSON.parse(answers);
for (const [operation, status] of fail) failNext(operation, status);
setLosses(...lost);
if (lists !== undefined) setLists(lists);
for (const [name, text] of Object.entries(before)) writeFileSync(name, text);
process.on('exit', () => {
  const after = Object.keys(before).map((name) => [
    name,
    existsSync(name) ? readFileSync(name, 'utf8') : null,
  ]);
  if (after.length > 0) console.log(JSON.stringify(Object.fromEntries(after)));
});
if (leftBehind !== undefined) addSession('tracewright', leftBehind);
if (ends !== undefined) {
  const poll = setInterval(() => {
    if (process.listenerCount('SIGINT') === 0) return;
    clearInterval(poll);
    if (file !== undefined) writeFileSync(file[0], Buffer.alloc(file[1]));
    if (ends === 'session') endSession('tracewright');
    else if (ends === 'exit') process.exit(3);
    else for (const signal of [ends].flat()) process.emit(signal, signal);
  }, 5);
}
process.argv = [...process.argv.slice(0, 2), ...args];
await import('../node_modules/tracewright/dist/cjs/cli.cjs');
