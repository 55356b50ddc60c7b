// Runs one workload in a separate process and prints the result as JSON: `node child.mjs '{"module": ..., "workload":
// ..., "arguments": [...], "timing": ...}'`
// A workload returns the loop, a function of the number of iterations. It may have the functions `bytesEach`, the
// number of bytes in a file per iteration, and `finish`, which ends it and says whether it did its work.
import { measure } from './measure.mjs';

const { module, workload, arguments: args = [], timing } = JSON.parse(process.argv[2]);
const { [workload]: prepare } = await import(`./workloads/${module}.mjs`);
const loop = await prepare(...args);
// Without a timing, only prepare
if (timing !== undefined) {
  const { rounds, sink } = await measure(loop, timing);
  await loop.finish?.();
  process.stdout.write(JSON.stringify({ rounds, sink, bytesEach: loop.bytesEach?.() }));
}
