// `npm run demo [-- --listen]`: records a server that works on eight requests at once, and shows one of them
// as the table that "EventSource Activity Support" opens with. --listen records inside the process, without a
// kernel. Exit status: 1 when an event is missing or a start has no stop.
import { parseArgs } from 'node:util';
import { record } from './recordings.mjs';
import { formatTable, isWithin, rowsOf } from './table.mjs';

/** The request to show: the sixth, as there. */
const SHOWN_REQUEST = 6;
/** Where the output is no terminal. */
const DEFAULT_WIDTH = 120;

const { values } = parseArgs({ options: { listen: { type: 'boolean', default: false } } });

const { how, events, written } = await record(values.listen);
const rows = rowsOf(events);
const starts = rows.filter((row) => row.opcode === 'Start');
const requests = starts.filter((row) => row.task === 'Request');
const matched = starts.filter((row) => row.stopped).length;
const lost = written - events.length;

console.log(how);
const shown = requests[SHOWN_REQUEST - 1];
if (shown !== undefined) {
  console.log(`${requests.length} concurrent requests; this is request ${SHOWN_REQUEST}, ${shown.path}:\n`);
  const width = process.stdout.columns ?? DEFAULT_WIDTH;
  console.log(
    formatTable(
      rows.filter((row) => isWithin(row, shown.path)),
      width,
    ),
  );
}
console.log(
  `\n${events.length} events of ${requests.length} requests` +
    `${lost === 0 ? ', none lost' : `; ${lost} of the ${written} written are missing`}; ` +
    `${matched === starts.length ? 'all' : `${matched} of`} ${starts.length} starts matched with their stops.`,
);
if (lost !== 0 || matched !== starts.length || starts.length === 0) process.exitCode = 1;
