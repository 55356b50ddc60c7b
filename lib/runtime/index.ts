/** `tracewright/runtime`: Node.js's own events, as the event source `Node.Runtime`. */
export { enableRuntimeEvents } from './enable.ts';
export { type RuntimeEvents, RuntimeKeywords } from './events.ts';
