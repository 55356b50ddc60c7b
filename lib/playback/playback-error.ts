/** Misuse of a playback, or invalid input to it. */

export class PlaybackError extends Error {
  override readonly name = 'PlaybackError';
}
