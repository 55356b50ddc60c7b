/** What this thread does when it exits, in a single handler: Node.js warns about more than ten. */

type Work = () => void;

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

/** Runs all in the order in which they came. */
function doAll(): void {
  for (const work of works) work();
}
