/** What is wrong with how a playback is used, or with what it was given. */

export class PlaybackError extends Error {
  override readonly name = 'PlaybackError';
}
