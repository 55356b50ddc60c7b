// Reads traces with everything in their events, in little memory: prints one line of JSON with the result for each.
import { openTrace } from '../../../dist/trace/open-trace.js';

for (const path of process.argv.slice(2)) {
  let events = 0;
  let problem;
  let error;
  try {
    for await (const batch of (await openTrace(path)).batches()) {
      for (const event of batch) {
        events++;
        event.payload;
        problem ??= event.payloadProblem;
      }
    }
  } catch (thrown) {
    if (thrown.name !== 'TraceError') throw thrown;
    error = thrown.message;
  }
  console.log(JSON.stringify({ events, problem, error }));
}
