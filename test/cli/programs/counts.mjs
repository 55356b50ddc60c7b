// A program with counters that lives for some seconds.
import { enableRuntimeEvents } from 'tracewright/runtime';

await enableRuntimeEvents();
console.log('It runs.');
setTimeout(() => {}, 1500);
