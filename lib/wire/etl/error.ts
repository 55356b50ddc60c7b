/** Why an .etl file, or a part of one, cannot be read. */

/** `truncated`: it ends before its end. `malformed`: it is damaged. */
export type EtlErrorCode = 'truncated' | 'malformed';

export class EtlError extends Error {
  override readonly name = 'EtlError';
  readonly code: EtlErrorCode;
  /** Where in the file, in bytes. */
  readonly offset: number;
  /** The sentence without the offset. */
  readonly sentence: string;

  /** @param sentence complete, without the offset */
  constructor(code: EtlErrorCode, offset: number, sentence: string) {
    super(`${sentence} (at byte ${offset})`);
    this.code = code;
    this.offset = offset;
    this.sentence = sentence;
  }
}
