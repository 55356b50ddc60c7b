/** `tracewright report FILE`: writes a trace as one HTML file for a browser. */
import { thrownMessage } from '../base/value-text.ts';
import type { Trace } from '../trace/trace.ts';
import { countText, dataSize } from '../view/number-text.ts';
import { reportHtml } from '../view/report/report-html.ts';
import { reportedTrace } from '../view/report/reported-trace.ts';
import { type ReportContent, TraceReport } from '../view/report/trace-report.ts';
import { text } from './argument-values.ts';
import { CommandLine } from './command-line.ts';
import { type CommandOutput, withOutput } from './command-output.ts';
import { untilInterrupted } from './interruption.ts';
import { say } from './messages.ts';
import { UsageError } from './parse-options.ts';
import { Progress } from './progress.ts';
import { FRAME_OPTIONS, frameNames } from './trace/frame-options.ts';
import { readWithProgress, TRACE_OPTIONS } from './trace/trace-argument.ts';
import {
  closeTraceFiles,
  FILES_HELP,
  fileNames,
  NEWEST_HELP,
  newestRecording,
  openTraceFiles,
  type TraceFiles,
} from './trace/trace-files.ts';

export const commandLine = new CommandLine('report', '[OPTION]... [FILE]... -o REPORT', [
  `Writes a report of FILE: one HTML file that says why activities were slow, and shows its activities and events on a
  timeline, as a tree and as statistics, its CPU samples as a flame graph, and its counters. It needs only a browser, and
  no network.`,
  `${FILES_HELP} ${NEWEST_HELP}`,
  {
    output: text('REPORT', 'a file').option('the file to write; - is standard output', { short: 'o' }),
  },
  FRAME_OPTIONS,
  TRACE_OPTIONS,
  'The report omits the parts of a large trace that do not fit into a browser; it says what is missing.',
]);

/** @throws UsageError, TraceError, InterruptedError; the report of what was read so far is written first */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args, newestRecording);
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
