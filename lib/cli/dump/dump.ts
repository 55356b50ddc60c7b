/** `tracewright dump FILE`: prints the events of a trace, as text or as JSON lines. */

import { countArgument } from '../argument-values.ts';
import { filesArguments } from '../file-arguments.ts';
import { warn } from '../messages.ts';
import { Output } from '../output.ts';
import { FILTER_OPTIONS, FILTER_USAGE } from '../trace/event-filter.ts';
import { FilteredEvents } from '../trace/filtered-events.ts';
import { MANIFEST_USAGE, readWithProgress, TRACE_OPTIONS, TRACE_USAGE } from '../trace/trace-argument.ts';
import { FILES_USAGE, filesText, openTraceFiles } from '../trace/trace-files.ts';
import { EventJson } from './event-json.ts';
import { eventText } from './event-text.ts';

export const DUMP_USAGE = `Usage: tracewright dump [OPTION]... FILE...

Prints the events of FILE in time order: seconds since the start of the trace, thread, provider and event,
activity path, fields. ${TRACE_USAGE}${FILES_USAGE}
${FILTER_USAGE}  --limit N        only the first N of these events
${MANIFEST_USAGE}  --json           one JSON object per line: 64-bit integers as strings, bytes in hex, absent properties
                   omitted
`;

/** @throws UsageError, TraceError */
export async function dumpCommand(args: readonly string[]): Promise<void> {
  const given = filesArguments('dump', DUMP_USAGE, args, {
    ...TRACE_OPTIONS,
    ...FILTER_OPTIONS,
    limit: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (given === undefined) return;
  const { files, values } = given;
  const events = new FilteredEvents(values);
  let left =
    values.limit === undefined ? Number.POSITIVE_INFINITY : countArgument('--limit', values.limit, 0);
  const trace = await openTraceFiles(files, values);
  const output = new Output();
  const json = new EventJson();
  try {
    for await (const batch of readWithProgress(trace, { isShownMeanwhile: true })) {
      for (const event of batch) {
        if (left === 0) return;
        if (!events.has(event)) continue;
        left--;
        if (values.json === true) output.styledLine(json.line(event));
        else output.line(eventText(event));
        if (output.isFull) await output.flush();
      }
    }
    const emptiness = events.emptiness(filesText(files));
    if (emptiness !== undefined) warn(emptiness);
  } finally {
    await output.flush();
  }
}
