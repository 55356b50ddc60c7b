/** Why a recording cannot be made. */
export class RecorderError extends Error {
  override readonly name = 'RecorderError';
}

/** This user lacks a permission, which the message says how to get. */
export class RecorderPermissionError extends RecorderError {}

/** Perf events are not there, or not for this user. */
export class PerfEventsError extends RecorderError {
  /** Of the system. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
