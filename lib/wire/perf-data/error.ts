/** Why perf.data cannot be read. */

/**
 * - `unrecognized`: it is no perf.data
 * - `unsupported`: something in it is not read here
 * - `truncated`: it ends before its end
 * - `malformed`: it is damaged
 */
export type PerfDataErrorCode = 'unrecognized' | 'unsupported' | 'truncated' | 'malformed';

export class PerfDataError extends Error {
  override readonly name = 'PerfDataError';
  readonly code: PerfDataErrorCode;
  /** Where in the file, in bytes. */
  readonly offset: number;
  /** The message without the offset. */
  readonly sentence: string;

  /** @param sentence a complete one, without the offset */
  constructor(code: PerfDataErrorCode, offset: number, sentence: string) {
    super(`${sentence} (at byte ${offset})`);
    this.code = code;
    this.offset = offset;
    this.sentence = sentence;
  }
}
