// `npm run demo [-- --listen]`: records a server that handles eight requests at once, and shows one of them in the
// table with which "EventSource Activity Support" begins; then why a request of another server was slow, its tree and its
// report. --listen records inside the process, without a kernel. Exit status: 1 if an event is missing or a start has no
// stop.
import { parseArgs } from 'node:util';
import { explainSlowServer } from './explained.mjs';
import { record } from './recordings.mjs';
import { activitiesIn, printTable } from './table.mjs';

/** The request to show: the sixth, as in that document. */
const SHOWN_REQUEST = 6;

const { values } = parseArgs({ options: { listen: { type: 'boolean', default: false } } });

const { how, events, written } = await record(values.listen);
const activities = activitiesIn(events);
const requests = activities.filter(({ task }) => task === 'Request');
const matched = activities.filter(({ stopped }) => stopped).length;
const lost = written - events.length;

console.log(how);
const shown = requests[SHOWN_REQUEST - 1];
if (shown !== undefined) {
  console.log(`${requests.length} concurrent requests; this is request ${SHOWN_REQUEST}, ${shown.path}:\n`);
  await printTable(events, shown.path);
}
console.log(
  `\n${events.length} events of ${requests.length} requests` +
    `${lost === 0 ? ', none lost' : `; ${lost} of the ${written} written are missing`}; ` +
    `${matched === activities.length ? 'all' : `${matched} of`} ${activities.length} starts matched with their stops.`,
);
if (lost !== 0 || matched !== activities.length || activities.length === 0) process.exitCode = 1;
await explainSlowServer();
