/** Why a recording is not possible. */
export class RecorderError extends Error {
  override readonly name: string = 'RecorderError';
  /** The system's code, such as `EACCES`, where the user lacks a permission or the system a feature. */
  readonly code: string | undefined;

  constructor(message: string, code?: string) {
    super(message);
    this.code = code;
  }
}

/** Perf events are missing, or this user may not use them: tracefs may do. */
export class PerfEventsError extends RecorderError {
  override readonly name = 'PerfEventsError';
}

/** The addon, if it is there. @throws RecorderError with the reason if not */
export function needed<Loaded extends object>(addon: Loaded | { readonly reason: string }): Loaded {
  if ('reason' in addon) throw new RecorderError(addon.reason);
  return addon;
}
