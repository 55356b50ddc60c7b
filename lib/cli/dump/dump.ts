/** `tracewright dump FILE`: prints the events of a trace, as text or as JSON lines. */

import { count } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { warn } from '../messages.ts';
import { Output } from '../output.ts';
import { flag } from '../parse-options.ts';
import { FILTER_OPTIONS } from '../trace/event-filter.ts';
import { FilteredEvents } from '../trace/filtered-events.ts';
import { readWithProgress, TRACE_OPTIONS } from '../trace/trace-argument.ts';
import { FILES_HELP, filesText, openTraceFiles } from '../trace/trace-files.ts';
import { EventJson } from './event-json.ts';
import { eventText } from './event-text.ts';

export const commandLine = new CommandLine('dump', '[OPTION]... FILE...', [
  `Prints the events of FILE in time order: seconds since the start of the trace, thread, provider and event, activity
  path, fields.`,
  FILES_HELP,
  FILTER_OPTIONS,
  { limit: count('N', 0).option('only the first N of these events') },
  TRACE_OPTIONS,
  {
    json: flag(
      `one JSON object per line: 64-bit integers as strings, bytes in hex, absent properties omitted`,
    ),
  },
]);

/** @throws UsageError, TraceError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args);
  if (given === undefined) return;
  const { files, values } = given;
  const events = new FilteredEvents(values);
  let left = values.limit ?? Number.POSITIVE_INFINITY;
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
