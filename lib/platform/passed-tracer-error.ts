/** Why events cannot be written through a passed descriptor. */

/**
 * - `not-there`: this platform has no tracer that can be passed, or the addon is missing
 * - `descriptor`: it is invalid, or events cannot be written through it
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
