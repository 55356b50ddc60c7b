/** What the system says to a call that failed: `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
