/** Why a session of user_events cannot be started. */

export class UserEventsSessionError extends Error {
  override readonly name = 'UserEventsSessionError';
  /** What an error reply says to the tool that asked for the session: one of `ErrorCode`. */
  readonly replyCode: number;

  /** @param message a complete sentence */
  constructor(replyCode: number, message: string) {
    super(message);
    this.replyCode = replyCode;
  }
}
