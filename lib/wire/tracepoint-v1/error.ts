/** Why an event of the tracepoint format cannot be decoded. */

export class TracepointV1Error extends Error {
  override readonly name = 'TracepointV1Error';
  /** Where in the event's bytes, counted from its version. */
  readonly offset: number;

  /** @param message a complete sentence, without the offset */
  constructor(offset: number, message: string) {
    super(`${message} (at byte ${offset})`);
    this.offset = offset;
  }
}
