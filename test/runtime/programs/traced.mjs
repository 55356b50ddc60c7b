// ftrace records Node.Runtime for a while, unannounced as every tracer on Linux. Prints what it recorded, and what
// Node.js was made to observe before, meanwhile and afterwards.
import { setTimeout as sleep } from 'node:timers/promises';
import { enableRuntimeEvents } from 'tracewright/runtime';
import { clear, recordedLines, setRecorded } from '../../kernel/programs/tracefs.mjs';

/** A little more than the second after which a tracer is noticed. */
const NOTICED_MS = 1300;

const hooks = () => process.listenerCount('uncaughtExceptionMonitor');
const source = enableRuntimeEvents();
const states = [hooks()];
clear();
for (const tracepoint of source.tracepoints) setRecorded(tracepoint, true);
await sleep(NOTICED_MS);
states.push(hooks());
globalThis.gc();
process.emitWarning('Traced.');
await sleep(NOTICED_MS);
for (const tracepoint of source.tracepoints) setRecorded(tracepoint, false);
await sleep(NOTICED_MS);
states.push(hooks());
console.log(
  JSON.stringify({
    tracepoints: source.tracepoints,
    problems: source.status.problems,
    states,
    stats: source.stats(),
    lines: recordedLines(),
  }),
);
