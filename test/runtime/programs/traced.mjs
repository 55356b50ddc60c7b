// ftrace records Node.Runtime for a while, unannounced, as any tracer on Linux. Prints what it recorded, and what was
// observed in Node.js before, meanwhile and afterwards.
import { defineEventSource, event, Opcode } from 'tracewright';
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
const { written } = source.stats();
const lines = recordedLines();

// What a recorder asks for by recording: the state of a source, and activity ids.
const pool = defineEventSource('Traced-Pool', {
  QueueDCStart: event({ length: 'int32' }, { opcode: Opcode.DataCollectionStart }),
});
pool.onStateRequest(() => pool.QueueDCStart({ length: 7 }));
const [state] = pool.tracepoints;
setRecorded(state, true);
await until(() => isRecorded(state), 'the state to be recorded');
setRecorded(state, false);
const isFlowing = () => globalThis[Symbol.for('tracewright.activities.v5')].flow.active;
const flow = [isFlowing()];
for (const isAsked of [true, false]) {
  setRecorded('System_Threading_Tasks_TplEventSource_L4K80', isAsked);
  await until(() => isFlowing() === isAsked, 'the request for activity ids to be noticed');
  flow.push(isFlowing());
}
console.log(
  JSON.stringify({
    problems: source.status.problems,
    states,
    stats: { ...source.stats(), written },
    lines,
    requests: { poolWritten: pool.stats().written, flow },
  }),
);
