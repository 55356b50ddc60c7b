/** A worker thread that writes counted events, interrupted and not, until it is asked to end or terminated. */
import { parentPort, workerData } from 'node:worker_threads';
import { Random } from '../../../scripts/fuzz/random.mjs';
import { Interruptions } from './events.mjs';

const { counts, seed, isInterrupted } = workerData;
const interruptions = new Interruptions(counts, new Random(seed));
let isOver = false;
parentPort?.on('message', () => {
  isOver = true;
  // Not by the loop: a termination that comes a moment too late ends it, too.
  parentPort?.close();
});

while (!isOver) {
  if (isInterrupted) interruptions.any();
  else for (let i = 0; i < 500; i++) interruptions.ping();
  await new Promise(setImmediate);
}
