/** A timer that does not keep the process alive. */

const INTERVAL_MS = 1000;

/** Calls the function once a second. @returns ends it */
export function everySecond(work: () => void): () => void {
  const timer = setInterval(work, INTERVAL_MS);
  timer.unref();
  return () => clearInterval(timer);
}
