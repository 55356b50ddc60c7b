/** Invalid session options: a mistake of the caller. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
}
