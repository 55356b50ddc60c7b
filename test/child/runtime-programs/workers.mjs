// Creates two worker threads: one simply ends, one sets an exit code.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { RuntimeKeywords } from 'tracewright/runtime';
import { printEvents } from './print-events.mjs';

printEvents(RuntimeKeywords.Threading);
await once(new Worker('', { eval: true }), 'exit');
await once(new Worker('process.exit(3)', { eval: true }), 'exit');
