/** The system's error code for a failed call: `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  return (error as Partial<NodeJS.ErrnoException> | null | undefined)?.code;
}

/** The same for use in a sentence, with a text for every error. */
export function systemCodeText(error: unknown): string {
  return systemCodeOf(error) ?? String(error);
}
