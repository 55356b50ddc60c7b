/** `tracewright stats FILE`: summarises a trace as tables or as one JSON object. */

import { printable } from '../base/printable.ts';
import { timeText } from '../trace/time-text.ts';
import type { Trace } from '../trace/trace.ts';
import type { StackCounts } from '../trace/trace-reader.ts';
import { mergeTexts } from '../view/merge/merge-texts.ts';
import { type MergedInput, MergedTrace } from '../view/merge/merged-trace.ts';
import { type EventCount, type ProviderCount, TraceSummary } from '../view/trace-summary.ts';
import { CommandLine } from './command-line.ts';
import { Output } from './output.ts';
import { flag } from './parse-options.ts';
import { readWithProgress, TRACE_OPTIONS, unreadText } from './trace/trace-argument.ts';
import { FILES_HELP, openTraceFiles } from './trace/trace-files.ts';

export const commandLine = new CommandLine('stats', '[OPTION]... FILE...', [
  `Counts the events of FILE by provider and event, and shows the time span, the processes, and what the recorder lost.`,
  FILES_HELP,
  TRACE_OPTIONS,
  { json: flag('one JSON object') },
]);

/** Width of a column in characters: a longer value shifts only its own line. */
const MAX_WIDTH = 60;

/** @throws UsageError, TraceError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args);
  if (given === undefined) return;
  const trace = await openTraceFiles(given.files, given.values, false);
  const summary = new TraceSummary();
  try {
    for await (const batch of readWithProgress(trace)) {
      for (const event of batch) summary.add(event);
    }
  } finally {
    // For a damaged trace, the events before the damage.
    const output = new Output();
    if (given.values.json === true) output.json(asJson(trace, summary), 2);
    else for (const line of asText(trace, summary)) output.line(line);
    await output.flush();
  }
}

function asJson(trace: Trace, summary: TraceSummary): object {
  const { info } = trace;
  return {
    file: trace.name,
    format: info.format,
    formatVersion: info.formatVersion,
    pointerSize: info.pointerSize,
    processors: info.processors,
    properties: info.properties,
    problems: info.problems,
    traces: trace instanceof MergedTrace ? trace.inputs.map(inputAsJson) : undefined,
    startTime: String(info.startTime),
    firstEventTime: summary.firstTime?.toString(),
    lastEventTime: summary.lastTime?.toString(),
    events: summary.count,
    lostEvents: trace.lostEvents,
    lostBuffers: trace.lostBuffers,
    lateEvents: trace.lateEvents,
    unread: trace.unread.size === 0 ? undefined : Object.fromEntries(trace.unread),
    stacks: trace.stacks,
    processes: processesOf(trace, summary),
    providers: providersOf(summary).map((provider) => ({
      provider: provider.provider,
      providerGuid: provider.providerGuid,
      events: provider.count,
      byEvent: eventsOf(provider).map(({ name, id, version, level, count }) => ({
        name,
        id,
        version,
        level,
        events: count,
      })),
    })),
  };
}

/** Returns one of several traces; times are in nanoseconds, drifts in nanoseconds per second. */
function inputAsJson({ name, info, clock, processIds }: MergedInput): object {
  const { state, line, errorNs, driftErrorNsPerS, requests } = clock;
  return {
    file: name,
    format: info.format,
    formatVersion: info.formatVersion,
    clock: { state, ...line, errorNs, driftErrorNsPerS, requests },
    processIds: Object.fromEntries(processIds),
  };
}

function asText(trace: Trace, summary: TraceSummary): string[] {
  const { info } = trace;
  const { firstTime, lastTime } = summary;
  const version = info.formatVersion === undefined ? '' : ` ${info.formatVersion}`;
  const lines =
    trace instanceof MergedTrace ? mergeTexts(trace) : [`${trace.name}: ${info.format}${version}`];
  if (firstTime === undefined || lastTime === undefined) {
    lines.push('No events.');
  } else {
    const seconds = (Number(lastTime - firstTime) / 1e9).toFixed(6);
    const span = info.hasWallTime ? `, ${timeText(firstTime)} to ${timeText(lastTime)}` : '';
    lines.push(`${summary.count} events in ${seconds} s${span}`);
  }
  lines.push(`Lost: ${trace.lostEvents} events, ${trace.lostBuffers} buffers`);
  const unread = unreadText(trace);
  if (unread !== undefined) lines.push(unread);
  if (trace.stacks !== undefined) lines.push(stacksText(trace.stacks));
  const processes = processesOf(trace, summary);
  if (processes.length > 0) {
    const rows = processes.map(({ processId, name, events }) => [
      String(processId),
      name ?? '',
      String(events),
    ]);
    lines.push('', ...columns(['PROCESS', 'NAME', 'EVENTS'], rows, ['right', 'left', 'right']));
  }
  const rows = providersOf(summary).flatMap((provider) =>
    eventsOf(provider).map(({ name, id, version, level, count }) => [
      provider.provider,
      name,
      String(id),
      String(version),
      String(level),
      String(count),
    ]),
  );
  if (rows.length > 0) {
    const heads = ['PROVIDER', 'EVENT', 'ID', 'VERSION', 'LEVEL', 'EVENTS'];
    lines.push('', ...columns(heads, rows, ['left', 'left', 'right', 'right', 'right', 'right']));
  }
  return lines;
}

function stacksText({ events, withoutEvent, withoutFrames, withoutUserPart }: StackCounts): string {
  const missing = [
    [withoutEvent, 'of events that are not in the trace'],
    [withoutFrames, 'without their frames'],
    [withoutUserPart, 'without their part in user mode'],
  ] as const;
  const texts = missing.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return `Events with attached stacks: ${[events, ...texts].join(', ')}`;
}

function processesOf({ processNames }: Trace, { processes }: TraceSummary) {
  return [...processes]
    .sort(([, a], [, b]) => b - a)
    .map(([processId, events]) => ({ processId, name: processNames.get(processId), events }));
}

function providersOf({ providers }: TraceSummary): ProviderCount[] {
  return [...providers.values()].sort((a, b) => b.count - a.count);
}

function eventsOf(provider: ProviderCount): EventCount[] {
  return [...provider.events.values()].flat().sort((a, b) => b.count - a.count);
}

/** The head and the rows as lines with aligned columns. */
function columns(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  alignment: readonly ('left' | 'right')[],
): string[] {
  const lines = [head, ...rows].map((cells) => cells.map(printable));
  const widths = head.map((_, column) =>
    lines.reduce((width, line) => Math.min(MAX_WIDTH, Math.max(width, line[column]?.length ?? 0)), 0),
  );
  return lines.map((line) =>
    line
      .map((cell, column) => {
        const width = widths[column] as number;
        return alignment[column] === 'right' ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd(),
  );
}
