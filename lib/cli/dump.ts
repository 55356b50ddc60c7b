/** `tracewright dump FILE`: the events of a trace, as text or as JSON lines. */
import { eventFilter, FILTER_OPTIONS, FILTER_USAGE } from './event-filter.ts';
import { eventText } from './event-text.ts';
import { fileArguments } from './file-arguments.ts';
import { Output } from './output.ts';
import {
  MANIFEST_USAGE,
  openTraceArgument,
  readWithProgress,
  TRACE_OPTIONS,
  TRACE_USAGE,
} from './trace-argument.ts';
import { UsageError } from './usage-error.ts';

const USAGE = `Usage: tracewright dump [OPTION]... FILE

Prints the events of FILE in the order of time: seconds since the trace's start, thread, provider and event,
activity path, fields. ${TRACE_USAGE}
${FILTER_USAGE}  --limit N        only the first N of these events
${MANIFEST_USAGE}  --json           one JSON object a line: 64-bit integers as strings, bytes in hex, what an event has not left
                   out
`;

/** @throws UsageError, TraceError */
export async function dumpCommand(args: readonly string[]): Promise<void> {
  const given = fileArguments('dump', USAGE, args, {
    ...TRACE_OPTIONS,
    ...FILTER_OPTIONS,
    limit: { type: 'string' },
    json: { type: 'boolean' },
  });
  if (given === undefined) return;
  const { file, values } = given;
  const isWanted = eventFilter(values);
  let left = limitArgument(values.limit);
  const textOf = values.json === true ? JSON.stringify : eventText;
  const trace = await openTraceArgument(file, values.manifest);
  const output = new Output();
  try {
    for await (const batch of readWithProgress(trace)) {
      for (const event of batch) {
        if (left === 0) return;
        if (!isWanted(event)) continue;
        left--;
        output.line(textOf(event));
        if (output.isFull) await output.flush();
      }
    }
  } finally {
    await output.flush();
  }
}

function limitArgument(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  if (!/^\d+$/.test(text)) throw new UsageError(`--limit takes a number of events, not "${text}".`);
  return Number(text);
}
