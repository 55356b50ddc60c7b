// Opens the diagnostic port, and uses it as a tool does. The client is in the same process, because Wine starts only
// one.
import { defineEventSource, event } from 'tracewright';
import { enableDiagnostics } from 'tracewright/diagnostics';
import { DiagnosticsClient } from '../node_modules/tracewright/dist/diagnostics/client/diagnostics-client.js';
import { requestFor } from './tracing-request.mjs';

const log = defineEventSource('Windows-App', { Ping: event({ n: 'int32' }) });
const port = enableDiagnostics();
const client = DiagnosticsClient.at(port.address, process.pid);
const { processId, operatingSystem, runtimeIdentifier } = await client.processInfo();
const session = await client.collectTracing(requestFor('Windows-App'));
for (let n = 0; n < 1000; n++) log.Ping({ n });
const chunks = [];
const reading = (async () => {
  for await (const chunk of session.stream) chunks.push(chunk);
})();
await session.stop();
await reading;
await port.close();
const afterwards = await client.processInfo().catch((error) => error.code);
console.log(
  JSON.stringify({
    address: port.address,
    problem: port.problem,
    isThisProcess: processId === BigInt(process.pid),
    pid: process.pid,
    operatingSystem,
    runtimeIdentifier,
    trace: Buffer.concat(chunks).toString('base64'),
    isWanted: log.Ping.enabled,
    afterwards,
  }),
);
