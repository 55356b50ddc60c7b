/** What a client asked for and does not get. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  /** One of `ErrorCode`: what the client is told. */
  readonly replyCode: number;

  /** @param message a complete sentence */
  constructor(replyCode: number, message: string) {
    super(message);
    this.replyCode = replyCode;
  }
}
