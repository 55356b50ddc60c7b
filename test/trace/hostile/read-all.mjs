// Reads traces with all that their events tell, in little memory: for each a line of JSON with what came of it.
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
