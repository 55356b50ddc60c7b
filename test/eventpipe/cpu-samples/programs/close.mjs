// Burns CPU time in its own session, writes an event while it closes, and has nothing else to do. Argument: the file.
import { defineEventSource, event, startSession } from '../../../../dist/cjs/index.mjs';

const log = defineEventSource('Cpu-Samples-Close', { Step: event({ n: 'int32' }) });
const providers = 'Cpu-Samples-Close,Microsoft-DotNETCore-SampleProfiler:0:4';
const session = startSession({ providers, output: process.argv[2] });
const end = performance.now() + 1000;
while (performance.now() < end) log.isEnabled();
const closed = session.close();
log.Step({ n: 1 });
console.log(JSON.stringify(await closed));
