// The command line of tracewright, with what ETW answers to it: `command-line.mjs ANSWERS ARGUMENT...`, where
// ANSWERS is JSON: { fail: [[operation, status]...], lost: [events, buffers] }.
import { failNext, setLosses } from '../recorder/recorder.mjs';

const [answers, ...args] = process.argv.slice(2);
const { fail = [], lost = [0, 0] } = JSON.parse(answers);
for (const [operation, status] of fail) failNext(operation, status);
setLosses(...lost);
process.argv = [...process.argv.slice(0, 2), ...args];
await import('../node_modules/tracewright/dist/cli/main.js');
