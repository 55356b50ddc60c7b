// How an application works: a few operations at a time, then a turn of the event loop.

/** Events between two turns of the event loop: what a few requests write. */
export const BATCH_SIZE = 100;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Does the work this many times, in batches between turns of the event loop. */
export async function byTurns(iterations, batchSize, work) {
  for (let done = 0; done < iterations; done += batchSize) {
    const batch = Math.min(batchSize, iterations - done);
    for (let i = 0; i < batch; i++) work();
    await turn();
  }
}
