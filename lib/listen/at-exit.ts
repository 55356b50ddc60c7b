/** What this thread does when it exits, all by one handler: Node.js warns of more than ten. */

type Work = () => void;

const works = new Set<Work>();

/**
 * @param work does not throw
 * @returns has it not done
 */
export function doAtExit(work: Work): () => void {
  if (works.size === 0) process.on('exit', doAll);
  works.add(work);
  return () => {
    works.delete(work);
    if (works.size === 0) process.off('exit', doAll);
  };
}

/** In the order in which they came. */
function doAll(): void {
  for (const work of works) work();
}
