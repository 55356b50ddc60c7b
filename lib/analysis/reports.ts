/** A trace as one HTML file, as `tracewright report` writes it. */
import { basename } from 'node:path';
import type { Trace } from '../trace/trace.ts';
import type { FrameFolders } from '../view/cpu/frame-folders.ts';

export interface ReportOptions extends FrameFolders {
  /** What the report calls the trace; by default, the name of its file. */
  readonly name?: string;
}

/**
 * Reads the trace to its end, and returns the report's HTML in chunks, for a file: `await
 * pipeline(reportTrace(trace), createWriteStream('report.html'))`.
 *
 * @throws TraceError if the trace is damaged, unless it was opened with `onDamage: 'warning'`
 */
export async function* reportTrace(
  trace: Trace,
  options: ReportOptions = {},
): AsyncGenerator<string, void, undefined> {
  const [{ TraceReport }, { reportedTrace }, { reportHtml }, { frameNamesIn }] = await Promise.all([
    import('../view/report/trace-report.ts'),
    import('../view/report/reported-trace.ts'),
    import('../view/report/report-html.ts'),
    import('../view/cpu/frame-folders.ts'),
  ]);
  const report = new TraceReport(undefined, frameNamesIn(options));
  for await (const batch of trace.batches()) for (const event of batch) report.add(event);
  yield* reportHtml(report.content(reportedTrace(trace, options.name ?? basename(trace.name))));
}
