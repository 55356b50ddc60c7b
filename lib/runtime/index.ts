/** `tracewright/runtime`: Node.js's own events, as the event source `Node.Runtime`. */
export { RuntimeKeywords } from '../known/automatic.ts';
export { enableRuntimeEvents } from './enable.ts';
export type { RuntimeEvents } from './events.ts';
