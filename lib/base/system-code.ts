import { getSystemErrorName } from 'node:util';
import { thrownText } from './value-text.ts';

/** The system's error code for a failed call: `ENOENT`. */
export function systemCodeOf(error: unknown): string | undefined {
  try {
    return (error as Partial<NodeJS.ErrnoException> | null | undefined)?.code;
  } catch {
    // An application can throw anything, even a proxy that throws.
    return undefined;
  }
}

/** The name of an error number of the addon or the kernel, which is positive: `ENOENT`. */
export function systemErrorName(error: number): string {
  try {
    return getSystemErrorName(-error);
  } catch {
    return `error ${error}`;
  }
}

/** Whether there is no room for what was to be written: on the disk, or in the user's part of it. */
export function isFull(error: unknown): boolean {
  const code = systemCodeOf(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

/** Returns a text for use in a sentence, whatever the error. */
export function systemCodeText(error: unknown): string {
  return systemCodeOf(error) ?? thrownText(error);
}
