/** What the system says to a call that failed: `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  return (error as Partial<NodeJS.ErrnoException> | null | undefined)?.code;
}

/** The same for a sentence, which has something to say of every error. */
export function systemCodeText(error: unknown): string {
  return systemCodeOf(error) ?? String(error);
}
