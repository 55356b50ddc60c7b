/** What is wrong with the bytes of a trace, and where. */

/**
 * - `unrecognized`: they are of another format
 * - `unsupported`: something in them is not read here
 * - `truncated`: they end before their end
 * - `malformed`: they are damaged
 */
export type FaultCode = 'unrecognized' | 'unsupported' | 'truncated' | 'malformed';

/** The errors of all formats of traces. */
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
