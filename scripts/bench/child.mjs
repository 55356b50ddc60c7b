// Runs one workload in a process of its own and prints what was measured, as JSON:
// `node child.mjs '{"module": ..., "workload": ..., "arguments": [...], "timing": ...}'`
import { measure } from './measure.mjs';

const { module, workload, arguments: args = [], timing } = JSON.parse(process.argv[2]);
const { [workload]: prepare } = await import(`./workloads/${module}.mjs`);
const loop = await prepare(...args);
// Without a timing, preparing was all
if (timing !== undefined) process.stdout.write(JSON.stringify(await measure(loop, timing)));
