/** Why there is no port where there was to be one; the message is a complete sentence. */
export class PortError extends Error {
  override readonly name = 'PortError';
}

/** What the system says to a call that failed. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
