// Two activities take turns, by `await` and by timers. Prints which one ran, as the application saw it and as activity
// switches say; short runs outside of activities are left out.
import { setTimeout as sleep } from 'node:timers/promises';
import { currentActivityId, defineEventSource, event, listen } from 'tracewright';
import { enableRuntimeEvents, RuntimeKeywords } from 'tracewright/runtime';

const TURNS = 5;
/** Shorter runs are not switched to. */
const RUN_MS = 0.5;

const log = defineEventSource('Alternating', { TurnsStart: event(), TurnsStop: event() });
listen(log, () => {});

const changes = (ids) => ids.filter((id, i) => id !== ids[i - 1]);
const ran = [];
const switches = [];
const observing = listen(
  enableRuntimeEvents(),
  ({ name, activityId }) => {
    if (name === 'ActivitySwitch' && activityId !== undefined) switches.push(activityId);
  },
  { keywords: RuntimeKeywords.ActivitySwitches },
);

function burn() {
  ran.push(currentActivityId());
  for (const end = performance.now() + RUN_MS; performance.now() < end; );
}

async function take(wait) {
  for (let turn = 0; turn < TURNS; turn++) {
    burn();
    await wait();
  }
  burn();
}

for (const wait of [() => undefined, () => sleep(1)]) {
  await Promise.all([
    log.activity('Turns', {}, () => take(wait)),
    log.activity('Turns', {}, () => take(wait)),
  ]);
}
observing.close();
console.log(JSON.stringify({ ran: changes(ran), switches: changes(switches) }));
