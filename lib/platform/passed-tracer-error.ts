/** Why nothing can be written through a descriptor that was passed. */

/**
 * - `not-there`: this platform has no tracer that can be passed, or the addon is missing
 * - `descriptor`: it is none, or none that events can be written through
 * - `refused`: the kernel refuses a tracepoint
 */
export type PassedTracerErrorCode = 'not-there' | 'descriptor' | 'refused';

export class PassedTracerError extends Error {
  override readonly name = 'PassedTracerError';
  readonly code: PassedTracerErrorCode;

  constructor(code: PassedTracerErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}
