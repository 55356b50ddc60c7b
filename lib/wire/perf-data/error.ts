/** Why a perf.data file cannot be read. */

export class PerfDataError extends Error {
  override readonly name = 'PerfDataError';
  /** Where in the file, in bytes. */
  readonly offset: number;

  /** @param message a complete sentence, without the offset */
  constructor(offset: number, message: string) {
    super(`${message} (at byte ${offset})`);
    this.offset = offset;
  }
}
