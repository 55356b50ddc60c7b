// Shows recorded events in the table of "EventSource Activity Support", which `tracewright view --table` also prints,
// and sums them up.
import { Output } from '../../dist/cli/output.js';
import { EventsTable } from '../../dist/cli/view/view-table.js';
import { eventRow } from '../../dist/view/event-row.js';
import { TraceActivities } from '../../dist/view/trace-activities.js';

/**
 * The activities started by the events, in time order.
 * @param {readonly import('./recordings.mjs').RecordedEvent[]} events in time order
 * @returns {{ task: string, path: string, stopped: boolean }[]}
 */
export function activitiesIn(events) {
  const tracker = new TraceActivities();
  const started = [];
  for (const event of events) {
    const change = tracker.add(event);
    if (change?.boundary === 'Start')
      started.push({ activity: change.activity, path: eventRow(event, undefined).activity });
  }
  return started.map(({ activity, path }) => ({
    task: activity.task,
    path,
    stopped: activity.state === 'stopped',
  }));
}

/**
 * Prints the events of the activity with this path, and of those below it.
 * @param {readonly import('./recordings.mjs').RecordedEvent[]} events all, in time order
 */
export async function printTable(events, path) {
  const isWanted = (event) => isWithin(eventRow(event, undefined).activity, path);
  const output = new Output();
  const table = new EventsTable({ isWanted }, output, false);
  for (const event of events) table.add(event);
  table.end();
  await output.flush();
}

function isWithin(activity, path) {
  return activity === path || activity?.startsWith(`${path}/`) === true;
}
