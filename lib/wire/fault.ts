/** What is wrong with the bytes of a trace, and where. */

/**
 * - `unrecognized`: another format
 * - `unsupported`: a feature that is not supported
 * - `truncated`: the bytes end early
 * - `malformed`: the bytes are damaged
 */
export type FaultCode = 'unrecognized' | 'unsupported' | 'truncated' | 'malformed';

/** The base of the errors of all trace formats. */
export abstract class Fault extends Error {
  readonly code: FaultCode;
  /** Where in the trace, in bytes from its start. */
  readonly offset: number;
  /** The message without the offset. */
  readonly sentence: string;

  /** @param sentence complete, without the offset */
  constructor(code: FaultCode, offset: number, sentence: string, options?: ErrorOptions) {
    super(`${sentence} (at byte ${offset})`, options);
    this.code = code;
    this.offset = offset;
    this.sentence = sentence;
  }
}
