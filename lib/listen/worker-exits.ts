/** The exits of this thread's worker threads. Only workers created after this module is loaded are observed. */
import type { Worker } from 'node:worker_threads';

type ExitHandler = (threadId: number) => void;

const handlers = new Set<ExitHandler>();

process.on('worker', (worker: Worker) => {
  // A worker that has exited no longer has its id.
  const { threadId } = worker;
  worker.once('exit', () => {
    for (const handler of handlers) handler(threadId);
  });
});

/**
 * Calls the handler, which must not throw, when a worker thread has ended in any way.
 *
 * @returns ends it
 */
export function onWorkerExit(handler: ExitHandler): () => void {
  handlers.add(handler);
  return () => void handlers.delete(handler);
}
