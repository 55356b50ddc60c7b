// Runs one workload in a separate process and prints the result as JSON: `node child.mjs '{"module": ..., "workload":
// ..., "arguments": [...], "timing": ...}'`
// A workload returns the loop, a function of the number of iterations. It may have the functions `bytesEach`, the
// number of bytes in a file per iteration, and `finish`, which ends it and says whether it did its work.
import { measure } from './measure.mjs';

/** Iterations without a turn of the event loop in between. */
const TOGETHER = 1000;

const { module, workload, arguments: args = [], timing, iterations } = JSON.parse(process.argv[2]);
const { [workload]: prepare } = await import(`./workloads/${module}.mjs`);
const loop = await prepare(...args);
// Without a timing, only prepare
if (timing !== undefined) {
  const { rounds, sink } = await measure(loop, timing);
  await loop.finish?.();
  process.stdout.write(JSON.stringify({ rounds, sink, bytesEach: loop.bytesEach?.() }));
}
if (iterations !== undefined) {
  for (let done = 0; done < iterations; done += TOGETHER) await loop(TOGETHER);
  await loop.finish?.();
  process.exit();
}
