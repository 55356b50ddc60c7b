// How an application works: a few things at a time, and then the event loop has its turn.

/** Events between two turns of the event loop: what a few requests write. */
export const BATCH_SIZE = 100;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Does the work so many times, a batch between any two turns of the event loop. */
export async function byTurns(iterations, batchSize, work) {
  for (let done = 0; done < iterations; done += batchSize) {
    const batch = Math.min(batchSize, iterations - done);
    for (let i = 0; i < batch; i++) work();
    await turn();
  }
}
