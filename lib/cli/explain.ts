/** `tracewright explain FILE`, or `-p PID`: says why activities were slow. */

import { printable } from '../base/printable.ts';
import { ACTIVITY_RUNS, SAMPLES } from '../known/session-requests.ts';
import { ActivityFields } from '../view/activity-fields.ts';
import { kindTest } from '../view/compare/trace-kinds.ts';
import type { ExplainedActivities } from '../view/explain/explained-activities.ts';
import { explanationJson } from '../view/explain/explanation-json.ts';
import { Findings } from '../view/explain/findings.ts';
import type { FramesOf } from '../view/explain/hot-code.ts';
import { linesOf, othersOf, sentenceOf } from '../view/explain/sentences.ts';
import { hintsOf, totalsOf } from '../view/explain/totals.ts';
import { countText, thousands } from '../view/number-text.ts';
import { flightText } from '../view/report/reported-trace.ts';
import { FLIGHT_RECORDER_ACTIVITY } from '../wire/nettrace/constants.ts';
import { count, duration, text } from './argument-values.ts';
import { tracingOf } from './collect/collect.ts';
import { PROCESS_OPTIONS, readSession, type TargetValues, withTarget } from './collect/target-argument.ts';
import { CommandLine } from './command-line.ts';
import { say, warn } from './messages.ts';
import { Output } from './output.ts';
import { flag, type OptionValues, UsageError } from './parse-options.ts';
import { styled } from './terminal/terminal.ts';
import { ACTIVITY } from './trace/event-filter.ts';
import { type ExplainedTrace, type ExplainedTraceOptions, explainTrace } from './trace/explained-trace.ts';
import { listed, MAX_KEPT } from './trace/filtered-events.ts';
import { FRAME_OPTIONS } from './trace/frame-options.ts';
import { sessionProviders } from './trace/provider-argument.ts';
import { TRACE_OPTIONS } from './trace/trace-argument.ts';
import { FILES_HELP, filesText, NEWEST_HELP, newestRecording } from './trace/trace-files.ts';
import { FIELD_VALUE, SELECTION_OPTIONS, selection } from './view/view-selection.ts';

const DEFAULT_SLOWEST = 5;
const DEFAULT_MS = 10_000;

export const commandLine = new CommandLine(
  'explain',
  ['[OPTION]... [FILE]...', '[OPTION]... -p PID'],
  [
    `Says why activities were slow: of the slowest, against others of their kind, what they waited for, who held the event
  loop meanwhile and who else suffered from that; then what made all of them together wait.`,
    `${FILES_HELP} ${NEWEST_HELP} With a --process-id, records this process for a while, which leaves no file.`,
    {
      ...SELECTION_OPTIONS,
      slowest: count('N', 1).option(`how many activities (${DEFAULT_SLOWEST})`),
      activity: ACTIVITY.option(`only this activity: ${ACTIVITY.takes}`),
      name: text('NAME', 'the name of activities').option(`only activities with this name or route (Request,
        MyCompany-MyService/Request or 'GET /cart'), in which * is any text`),
      where:
        FIELD_VALUE.repeated(`only activities whose field F is VALUE, in one of their own events or in one
        of an activity around them: all must match`),
    },
    FRAME_OPTIONS,
    TRACE_OPTIONS,
    { ...PROCESS_OPTIONS, duration: duration().option('how long to record the process (10s)') },
    { json: flag('one JSON object, which docs/explain.md describes') },
  ],
);

/** @throws UsageError, TraceError, InterruptedError */
export async function run(args: readonly string[]): Promise<void> {
  const given = commandLine.files(args, (options) =>
    options['process-id'] === undefined ? newestRecording() : undefined,
  );
  if (given === undefined) return;
  const { files, values } = given;
  const { 'process-id': processId, duration: durationMs = DEFAULT_MS } = values;
  if (processId !== undefined && files.length > 0) {
    throw new UsageError('explain takes files or a --process-id, not both.');
  }
  if (processId === undefined && values.duration !== undefined) {
    throw new UsageError('--duration is for a --process-id: a recording has its own.');
  }
  const { name, ...others } = values;
  const isNamed = name === undefined ? undefined : kindTest(name);
  const otherLabels = new Set<string>();
  const selected = selection(others);
  const fields = selected.where === undefined ? undefined : new ActivityFields({ where: selected.where });
  const isChosen =
    [selected.isRoot, isNamed, fields].some((each) => each !== undefined) || values.failed === true;
  let flightActivity: string | undefined;
  const findings = new Findings({
    slowest: values.slowest ?? DEFAULT_SLOWEST,
    isChosen,
    isFirst: ({ activity }) => activity.id === flightActivity,
    isWanted: ({ activity }) =>
      (values.failed !== true || activity.isFailed) && (fields?.matches(activity) ?? true),
  });
  const explaining: ExplainedTraceOptions = {
    onOpen: ({ info }) => {
      flightActivity = info.properties[FLIGHT_RECORDER_ACTIVITY];
    },
    take: (time) => {
      const { activity, label } = time;
      if (isNamed !== undefined && !isNamed({ name: activity.name, label })) {
        time.isSelected = false;
        if (otherLabels.size < MAX_KEPT) otherLabels.add(label);
      }
      findings.add(time);
    },
    onRun: (run) => findings.addRun(run),
    isSelected: selected.isRoot,
    onEvent: fields && ((event, { activities }) => fields.take(event, activities.activityOf(event))),
  };
  const { explained, trace, framesOf, failure } =
    processId === undefined
      ? await explainTrace(files, values, explaining)
      : await explainProcess(values, durationMs, explaining);
  const hints = hintsOf(explained.recorded, trace?.lostEvents ?? 0);
  const output = new Output();
  const isEmpty = findings.findings().length === 0;
  if (values.json === true) output.json(explanationJson(findings, explained.recorded, hints, framesOf));
  else if (!isEmpty) print(findings, framesOf, output, trace && flightText(trace));
  await output.flush();
  if (failure !== undefined) throw failure;
  if (isEmpty) {
    const of = files.length === 0 ? `Process ${processId}` : filesText(files);
    const wanted = [name, selected.wanted].filter((each) => each !== undefined).join(' ');
    nothing(of, wanted, otherLabels, explained);
  }
  if (values.json !== true) for (const hint of hints) say(hint);
}

/** Records what `collect` does, without a file. */
async function explainProcess(
  values: TargetValues & OptionValues<typeof FRAME_OPTIONS>,
  durationMs: number,
  options: ExplainedTraceOptions,
): Promise<ExplainedTrace> {
  const tracing = tracingOf([...sessionProviders(undefined, {}, true), SAMPLES, ACTIVITY_RUNS]);
  let explained: ExplainedTrace | undefined;
  await withTarget(values, async (target, stop) => {
    const session = await target.client.collectTracing(tracing);
    say(`Recording ${target.name} for ${durationMs / 1000} s, or until Ctrl-C.`);
    await readSession(session, target, stop, durationMs, async () => {
      explained = await explainTrace(session.stream, values, options);
    });
  });
  return explained as ExplainedTrace;
}

/** @param origin why a flight recorder has written the trace */
function print(findings: Findings, framesOf: FramesOf, output: Output, origin?: string): void {
  if (origin !== undefined) {
    output.line(origin);
    output.line('');
  }
  for (const finding of findings.findings()) {
    output.styledLine(styled(printable(sentenceOf(finding, framesOf)), 'bold'));
    for (const line of linesOf(finding, framesOf)) output.line(line);
    const others = othersOf(finding);
    if (others !== undefined) output.line(others);
    output.line('');
  }
  const totals = totalsOf(findings, framesOf);
  if (totals.length === 0) return;
  output.styledLine(styled(`${countText(findings.count, 'activity')} together:`, 'bold'));
  for (const total of totals) output.line(`  ${total}`);
}

/** @param wanted what was asked for; empty for all */
function nothing(
  files: string,
  wanted: string,
  otherLabels: ReadonlySet<string>,
  { activities }: ExplainedActivities,
): void {
  if (wanted !== '') {
    const others = otherLabels.size === 0 ? '' : ` Its activities are ${listed(otherLabels)}.`;
    throw new Error(`${files} has no activity ${wanted} that has ended.${others}`);
  }
  warn(`${files} has no such activities: nothing in it starts and stops with an activity id.`);
  if (activities.startsWithoutId > 0) {
    const count = thousands(activities.startsWithoutId);
    warn(
      `${count} starts have no id. In .NET, ids need System.Threading.Tasks.TplEventSource with keyword 0x80.`,
    );
  }
}
