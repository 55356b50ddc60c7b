/** Why a recording cannot be made. */
export class RecorderError extends Error {
  override readonly name = 'RecorderError';
}
