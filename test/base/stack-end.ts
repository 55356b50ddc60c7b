/** Runs code near the end of the stack. */

/**
 * Has `work` run with next to nothing left of the stack, then with one frame more each time, until it succeeds: so
 * the stack ends at one of its calls after the other.
 *
 * @returns how often it ended
 */
export function untilThereIsStack(work: () => void): number {
  let failures = 0;
  let isDone = false;
  const descend = (): void => {
    try {
      descend();
    } catch {
      // Here it has ended.
    }
    if (isDone) return;
    try {
      work();
      isDone = true;
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      failures++;
    }
  };
  descend();
  return failures;
}
