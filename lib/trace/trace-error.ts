/** Why a trace cannot be read, or not to its end. */
import { Fault } from '../wire/fault.ts';

export class TraceError extends Fault {
  override readonly name = 'TraceError';
}

/** A format's fault as an error of the trace; other errors unchanged. */
export function asTraceError(error: unknown): unknown {
  if (!(error instanceof Fault) || error instanceof TraceError) return error;
  return new TraceError(error.code, error.offset, error.sentence, { cause: error });
}
