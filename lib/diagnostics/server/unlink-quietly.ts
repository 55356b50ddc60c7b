/** Takes a file away that may be gone already. */
import { unlinkSync } from 'node:fs';

export function unlinkQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Somebody else has taken it away, or it is not ours to take.
  }
}
