/** `tracewright/trace`: opens traces of any format, on any system. */
export { activityIdPattern } from '../activity/path-pattern.ts';
export type { Payload, Value } from '../wire/decoded-field.ts';
export { TraceError, type TraceErrorCode } from '../wire/trace-error.ts';
export { type OpenTraceOptions, openTrace, type TraceInput } from './open-trace.ts';
export type { OnDamage, Trace } from './trace.ts';
export type { Nanoseconds, TraceEvent } from './trace-event.ts';
export type { ManifestFinder, StackCounts, TmfFinder, TraceFormat, TraceInfo } from './trace-reader.ts';
