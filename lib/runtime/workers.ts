/** Worker threads that this thread creates from now on, until they exit. */
import type { Worker } from 'node:worker_threads';
import type { RuntimeEvents } from './events.ts';
import type { Observation } from './observation.ts';

export function workers(events: RuntimeEvents): Observation {
  return {
    isWanted: () => events.WorkerCreated.enabled || events.WorkerExited.enabled,
    start: () => {
      const watched = new Map<Worker, (exitCode: number) => void>();
      const onWorker = (worker: Worker) => {
        // A worker that has exited no longer has its id.
        const workerThreadId = worker.threadId;
        const createdAt = performance.now();
        events.WorkerCreated({ workerThreadId });
        const onExit = (exitCode: number) => {
          watched.delete(worker);
          events.WorkerExited({ workerThreadId, exitCode, durationMSec: performance.now() - createdAt });
        };
        watched.set(worker, onExit);
        worker.once('exit', onExit);
      };
      process.on('worker', onWorker);
      return () => {
        process.off('worker', onWorker);
        for (const [worker, onExit] of watched) worker.off('exit', onExit);
      };
    },
  };
}
