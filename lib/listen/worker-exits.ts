/** Worker threads of this thread, when they have exited. Heard of are those created after this module is loaded. */
import type { Worker } from 'node:worker_threads';

type ExitHandler = (threadId: number) => void;

const handlers = new Set<ExitHandler>();

process.on('worker', (worker: Worker) => {
  // A worker that has exited has lost its id.
  const { threadId } = worker;
  worker.once('exit', () => {
    for (const handler of handlers) handler(threadId);
  });
});

/**
 * Has the handler, which must not throw, called when a worker thread runs no more, however it came to its end.
 *
 * @returns ends it
 */
export function onWorkerExit(handler: ExitHandler): () => void {
  handlers.add(handler);
  return () => void handlers.delete(handler);
}
