// Shows recorded events as the table of "EventSource Activity Support", the one that `tracewright view --table`
// prints, and sums them up.
import { Output } from '../../dist/cli/output.js';
import { EventsTable } from '../../dist/cli/view-table.js';
import { eventRow } from '../../dist/view/event-row.js';
import { TraceActivities } from '../../dist/view/trace-activities.js';

/**
 * The activities that the events start, in the order of time.
 * @param {readonly import('./recordings.mjs').RecordedEvent[]} events in the order of time
 * @returns {{ task: string, path: string, stopped: boolean }[]}
 */
export function activitiesIn(events) {
  const tracker = new TraceActivities();
  const started = [];
  for (const event of events) {
    const change = tracker.add(event);
    if (change?.boundary === 'Start')
      started.push({ activity: change.activity, path: eventRow(event).activity });
  }
  return started.map(({ activity, path }) => ({
    task: activity.task,
    path,
    stopped: activity.state === 'stopped',
  }));
}

/**
 * Prints the events of the activity of this path, and of those below it.
 * @param {readonly import('./recordings.mjs').RecordedEvent[]} events all, in the order of time
 */
export async function printTable(events, path) {
  const isWanted = (event) => isWithin(eventRow(event).activity, path);
  const output = new Output();
  const table = new EventsTable(isWanted, output, false);
  for (const event of events) table.add(event);
  table.end();
  await output.flush();
}

function isWithin(activity, path) {
  return activity === path || activity?.startsWith(`${path}/`) === true;
}
