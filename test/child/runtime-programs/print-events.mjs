// Prints the requested events of Node.Runtime, one line of JSON each, before the call that writes them returns: even
// those of a process that is about to die.
import { writeSync } from 'node:fs';
import { listen } from 'tracewright';
import { enableRuntimeEvents } from 'tracewright/runtime';

/** A bigint as a decimal text. */
const plain = (_, value) => (typeof value === 'bigint' ? String(value) : value);

export function printEvents(keywords) {
  return listen(
    enableRuntimeEvents(),
    ({ name, payload, activityId, timestamp }) =>
      writeSync(1, `${JSON.stringify({ name, payload, activityId, timestamp }, plain)}\n`),
    { keywords },
  );
}
