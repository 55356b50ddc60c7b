// Runs one workload in a process of its own and prints what was measured, as JSON:
// `node child.mjs '{"module": ..., "workload": ..., "arguments": [...], "timing": ...}'`
//
// What a workload returns is the loop, a function of the iterations. It may have the functions `bytesEach`, how
// many bytes an iteration took in a file, and `finish`, which ends it and says whether it has done its work.
import { measure } from './measure.mjs';

const { module, workload, arguments: args = [], timing } = JSON.parse(process.argv[2]);
const { [workload]: prepare } = await import(`./workloads/${module}.mjs`);
const loop = await prepare(...args);
// Without a timing, preparing was all
if (timing !== undefined) {
  const { rounds, sink } = await measure(loop, timing);
  await loop.finish?.();
  process.stdout.write(JSON.stringify({ rounds, sink, bytesEach: loop.bytesEach?.() }));
}
