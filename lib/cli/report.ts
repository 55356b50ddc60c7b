/** `tracewright report FILE`: writes a trace as one HTML file for a browser. */
import { thrownMessage } from '../base/value-text.ts';
import type { Trace } from '../trace/trace.ts';
import { countText, dataSize } from '../view/number-text.ts';
import { reportHtml } from '../view/report/report-html.ts';
import { reportedTrace } from '../view/report/reported-trace.ts';
import { type ReportContent, TraceReport } from '../view/report/trace-report.ts';
import { type CommandOutput, withOutput } from './command-output.ts';
import { filesArguments } from './file-arguments.ts';
import { untilInterrupted } from './interruption.ts';
import { say } from './messages.ts';
import { UsageError } from './parse-options.ts';
import { Progress } from './progress.ts';
import { FRAME_OPTIONS, FRAME_USAGE, frameNames } from './trace/frame-options.ts';
import { MANIFEST_USAGE, readWithProgress, TRACE_OPTIONS, TRACE_USAGE } from './trace/trace-argument.ts';
import {
  closeTraceFiles,
  FILES_USAGE,
  fileNames,
  NEWEST_USAGE,
  newestRecording,
  openTraceFiles,
  type TraceFiles,
} from './trace/trace-files.ts';

export const REPORT_USAGE = `Usage: tracewright report [OPTION]... [FILE]... -o REPORT

Writes a report of FILE: one HTML file that says why activities were slow, and shows its activities and events on a
timeline, as a tree and as statistics, its CPU samples as a flame graph, and its counters. It needs only a browser, and
no network.
${TRACE_USAGE}${FILES_USAGE}${NEWEST_USAGE}
  -o, --output REPORT
                   the file to write; - is standard output
${FRAME_USAGE}${MANIFEST_USAGE}
The report omits the parts of a large trace that do not fit into a browser; it says what is missing.
`;

const OPTIONS = {
  ...TRACE_OPTIONS,
  output: { type: 'string', short: 'o' },
  ...FRAME_OPTIONS,
} as const;

/** @throws UsageError, TraceError, InterruptedError; the report of what was read so far is written first */
export async function reportCommand(args: readonly string[]): Promise<void> {
  const given = filesArguments('report', REPORT_USAGE, args, OPTIONS, newestRecording);
  if (given === undefined) return;
  const { files, values } = given;
  const { output } = values;
  if (output === undefined) throw new UsageError('report needs -o REPORT, the file to write.');
  const trace = await openTraceFiles(files, values);
  const report = new TraceReport(undefined, frameNames(values));
  const failure = await readEvents(trace, files, report);
  const reported = reportedTrace(trace, fileNames(files));
  const notice =
    failure === undefined ? [] : [`The trace was not read completely. ${thrownMessage(failure)}`];
  const content = report.content({ ...reported, notices: [...reported.notices, ...notice] });
  const size = await withOutput(output, (out) => writeReport(content, out));
  const { activityCount, eventCount } = content.header;
  if (size !== undefined) {
    const counts = `${countText(activityCount, 'activity')} and ${countText(eventCount, 'event')}`;
    say(`Reported ${counts} in ${output} (${dataSize(size)}).`);
  }
  if (failure !== undefined) throw failure;
}

/** @returns its size in bytes, of a file */
async function writeReport(content: ReportContent, out: CommandOutput): Promise<number | undefined> {
  const progress = new Progress(() => `Writing: ${dataSize(out.size ?? 0)}`);
  try {
    for await (const piece of reportHtml(content)) {
      progress.update();
      await out.write(piece);
    }
    return out.size;
  } finally {
    progress.end();
  }
}

/** Returns the error that ends the events early. */
async function readEvents(trace: Trace, files: TraceFiles, report: TraceReport): Promise<unknown> {
  const close = () => closeTraceFiles(files, trace);
  try {
    for await (const batch of untilInterrupted(readWithProgress(trace), close)) {
      for (const event of batch) report.add(event);
    }
  } catch (error) {
    return error;
  }
  return undefined;
}
