/** Reports of events written in a test, as a file and as its page decodes it. */
import { inflateRawSync } from 'node:zlib';
import { type ReportData, reportData } from '../../../lib/pages/report-data.ts';
import type { TraceEvent } from '../../../lib/trace/trace-event.ts';
import { reportHtml } from '../../../lib/view/report/report-html.ts';
import { type ReportedTrace, type ReportLimits, TraceReport } from '../../../lib/view/report/trace-report.ts';

const TRACE: ReportedTrace = {
  name: 'demo.nettrace',
  format: 'nettrace 4',
  startTime: undefined,
  processNames: new Map([[4321, 'node']]),
  notices: [],
};

export interface WrittenReport {
  readonly html: string;
  readonly data: ReportData;
}

export async function reportOf(
  events: Iterable<TraceEvent>,
  trace: Partial<ReportedTrace> = {},
  limits?: ReportLimits,
): Promise<WrittenReport> {
  const report = new TraceReport(limits);
  for (const event of events) report.add(event);
  const pieces: string[] = [];
  for await (const piece of reportHtml(report.content({ ...TRACE, ...trace }))) pieces.push(piece);
  const html = pieces.join('');
  return { html, data: contentOf(html) };
}

/** What the page of a report reads. */
export function contentOf(html: string): ReportData {
  const base64 = Array.from(
    html.matchAll(/<script[^>]* class="data">([^<]*)<\/script>/g),
    ([, text = '']) => text,
  );
  return reportData(inflateRawSync(Buffer.concat(base64.map((text) => Buffer.from(text, 'base64')))));
}
