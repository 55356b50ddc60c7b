/** What this thread does when it exits, in a single handler: Node.js warns about more than ten; and its last warnings. */

type Work = () => void;

const WARNING = 'TracewrightWarning';
const works = new Set<Work>();

/**
 * @param work must not throw
 * @returns cancels it
 */
export function doAtExit(work: Work): () => void {
  if (works.size === 0) process.on('exit', doAll);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off('exit', doAll);
  };
}

/**
 * Node.js shows a warning in the next turn, which no longer comes when the process ends: its last ones are shown at once.
 *
 * @param isLast whether the process ends before another turn
 */
export function warnInTime(sentence: string, isLast: boolean): void {
  if (!isLast) {
    process.emitWarning(sentence, WARNING);
    return;
  }
  const warning = new Error(sentence);
  warning.name = WARNING;
  try {
    process.emit('warning', warning);
  } catch {
    // A listener of the application threw, which would hide why the process ends.
  }
}

/** Runs all in the order in which they came. */
function doAll(): void {
  for (const work of works) work();
}
