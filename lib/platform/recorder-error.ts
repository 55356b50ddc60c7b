/** Why a recording is not possible. */
export class RecorderError extends Error {
  override readonly name = 'RecorderError';
}

/** This user lacks a permission; the message says how to get it. */
export class RecorderPermissionError extends RecorderError {}

/** Perf events are missing, or this user may not use them. */
export class PerfEventsError extends RecorderError {
  /** The system's code. */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
