// Prints recorded events as the table of "EventSource Activity Support", and sums them up.
import { activityPath } from 'tracewright';

const COLUMNS = [
  { title: 'Event Name', alignRight: false, cell: (row) => row.eventName },
  { title: 'Time MSec', alignRight: true, cell: (row) => thousands(row.time, 2) },
  { title: 'ThreadID', alignRight: true, cell: (row) => thousands(row.threadId, 0) },
  { title: 'ActivityID', alignRight: false, cell: (row) => row.path },
  { title: 'RelatedActivityID', alignRight: false, cell: (row) => row.relatedPath },
  {
    title: 'DURATION_MSEC',
    alignRight: true,
    cell: (row) => (row.duration === undefined ? '' : thousands(row.duration, 3)),
  },
];

/**
 * One row an event: times are milliseconds since the first one.
 * @param {readonly import('./recordings.mjs').RecordedEvent[]} events in the order of time
 */
export function rowsOf(events) {
  const starts = new Map();
  return events.map((event) => {
    const time = Number(event.timeNs - events[0].timeNs) / 1e6;
    const [, task, opcode = ''] = /^(.*?)(Start|Stop)?$/.exec(event.name);
    const row = {
      eventName: [event.provider, task, opcode].filter(Boolean).join('/'),
      time,
      threadId: event.threadId,
      task,
      opcode,
      path: activityPath(event.activityId ?? ''),
      relatedPath: activityPath(event.relatedActivityId ?? ''),
      stopped: false,
      duration: undefined,
    };
    const key = `${task} ${row.path}`;
    if (opcode === 'Start') starts.set(key, row);
    const start = opcode === 'Stop' ? starts.get(key) : undefined;
    if (start !== undefined && !start.stopped) {
      start.stopped = true;
      row.duration = time - start.time;
    }
    return row;
  });
}

/** Whether the row belongs to the activity of this path: to it, or to one below. */
export function isWithin(row, path) {
  return row.path === path || row.path.startsWith(`${path}/`);
}

/** @param {number} width columns of the terminal; without room for it, the related id is left out */
export function formatTable(rows, width) {
  const all = tableLines(COLUMNS, rows);
  if (Math.max(...all.map((line) => line.length)) <= width) return all.join('\n');
  const narrow = COLUMNS.filter((column) => column.title !== 'RelatedActivityID');
  return tableLines(narrow, rows).join('\n');
}

function tableLines(columns, rows) {
  const lines = [
    columns.map((column) => column.title),
    ...rows.map((row) => columns.map((c) => c.cell(row))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((cells) => cells[index].length)));
  return lines.map((cells) =>
    cells
      .map((cell, index) =>
        columns[index].alignRight ? cell.padStart(widths[index]) : cell.padEnd(widths[index]),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** `6,619.23`, wherever the machine is. */
function thousands(number, digits) {
  return number.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
