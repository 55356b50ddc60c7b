/** What a session was asked for that cannot be: a mistake of who starts it. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}
