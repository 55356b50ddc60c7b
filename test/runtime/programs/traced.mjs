// ftrace records Node.Runtime for a while, unannounced, as any tracer on Linux. Prints what it recorded, and what was
// observed in Node.js before, meanwhile and afterwards.
import { enableRuntimeEvents } from 'tracewright/runtime';
import { clear, recordedLines, setRecorded, until } from '../../kernel/programs/tracefs.mjs';

const hooks = () => process.listenerCount('uncaughtExceptionMonitor');
const isRecorded = (tracepoint) => recordedLines().some((line) => line.includes(` ${tracepoint}: `));

const source = enableRuntimeEvents();
const states = [hooks()];
clear();
for (const tracepoint of source.tracepoints) setRecorded(tracepoint, true);
await until(() => hooks() > 0, 'the tracer to be noticed');
states.push(hooks());
globalThis.gc();
process.emitWarning('Traced.');
// A collection, a warning, and a sample that takes a second.
for (const tracepoint of ['Node_Runtime_L4K1', 'Node_Runtime_L3K8000', 'Node_Runtime_L4K4']) {
  await until(() => isRecorded(tracepoint), `${tracepoint} to be recorded`);
}
for (const tracepoint of source.tracepoints) setRecorded(tracepoint, false);
await until(() => hooks() === 0, 'the end of the tracer to be noticed');
states.push(hooks());
console.log(
  JSON.stringify({
    problems: source.status.problems,
    states,
    stats: source.stats(),
    lines: recordedLines(),
  }),
);
