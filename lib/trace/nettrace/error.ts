/** Faults of a nettrace as those of a trace. */
import type { NetTraceError } from '../../wire/nettrace/error.ts';
import { TraceError } from '../trace-error.ts';

export function traceErrorOf(fault: NetTraceError): TraceError {
  return new TraceError(fault.code, fault.offset, fault.reason, { cause: fault });
}
