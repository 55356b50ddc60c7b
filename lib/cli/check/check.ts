/** `tracewright check FILE`: fails if a trace breaks a rule, for continuous integration. */

import { differenceSentences } from '../../view/compare/comparison-text.ts';
import { type ComparedTrace, compareTraces } from '../../view/compare/trace-comparison.ts';
import { TraceKinds } from '../../view/compare/trace-kinds.ts';
import { lossText } from '../../view/report/reported-trace.ts';
import { COMPARED_OPTIONS, comparedTrace } from '../diff.ts';
import { filesArguments } from '../file-arguments.ts';
import { sentenceOf, warn } from '../messages.ts';
import { Output } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { explainTrace } from '../trace/explained-trace.ts';
import { FRAME_USAGE } from '../trace/frame-options.ts';
import { MANIFEST_USAGE, TRACE_USAGE } from '../trace/trace-argument.ts';
import { FILES_USAGE, newestRecording } from '../trace/trace-files.ts';
import { RuleChecks } from './rule-checks.ts';
import { RULE_OPTIONS, rulesOf } from './rules.ts';

export const CHECK_USAGE = `Usage: tracewright check [OPTION]... [FILE]...

Checks a trace by rules. The exit status is 0 if all of them hold, 1 if one is broken, with a sentence for each, and 2 if
FILE cannot be read, or lacks what a rule needs. Without FILE, it checks the newest recording in the current folder: the
.nettrace files that "tracewright collect" has written.
${TRACE_USAGE}${FILES_USAGE}
  --max-block D    no run of one activity, or of none, blocks an event loop for longer (50ms)
  --max LIMIT      a percentile (p50, p90, p95, p99) or the maximum of the durations of a name or route is no longer:
                   p99:Request=200ms, max:GET /cart=1s; a name with * limits each route on its own (p95:GET *=80ms);
                   can be repeated
  --no-repeated-queries N  no activity makes N or more queries with the same text, or HTTP calls of one route
  --no-failures    no activity fails
  --against BEFORE nothing is slower, calls more or fails more often than in this trace, beyond noise, as "tracewright
                   diff" tells; can be repeated for traces of several processes
  --rules RULES    a file with such rules: {"max-block": "50ms", "max": ["p99:Request=200ms"], "no-failures": true}
${FRAME_USAGE}${MANIFEST_USAGE}`;

const OPTIONS = {
  ...COMPARED_OPTIONS,
  ...RULE_OPTIONS,
  rules: { type: 'string' },
} as const;

const BROKEN = 1;
const UNDECIDED = 2;

/**
 * @returns the exit status
 * @throws UsageError
 */
export async function checkCommand(args: readonly string[]): Promise<number> {
  const given = filesArguments('check', CHECK_USAGE, args, OPTIONS, newestRecording);
  if (given === undefined) return 0;
  const { files, values } = given;
  const rules = rulesOf(values, values.rules);
  const checks = new RuleChecks(rules);
  const kinds = new TraceKinds();
  const read = await explainTrace(files, values, {
    take: (time) => {
      checks.take(time);
      if (rules.against.length > 0) kinds.add(time);
    },
    onRun: (run) => checks.takeRun(run),
  });
  const { explained, trace, framesOf, durationNs, failure } = read;
  if (failure instanceof UsageError) throw failure;
  for (const activity of explained.activities.open())
    checks.takeOpen(activity, durationNs - activity.startNs);
  const { recorded } = explained;
  const { broken, undecided } = checks.verdict(recorded, framesOf);
  const allBroken = [...broken];
  const allUndecided = [...undecided];
  if (failure !== undefined) allUndecided.push(sentenceOf(failure));
  else if (rules.against.length > 0) {
    try {
      const before = await comparedTrace(rules.against, values);
      allBroken.push(...worseThan(before, { kinds, recorded, framesOf, durationNs }));
    } catch (error) {
      allUndecided.push(`--against: ${sentenceOf(error)}`);
    }
  }
  // What is lost may have broken any of the other rules.
  const loss = trace === undefined ? undefined : lossText(trace);
  if (loss !== undefined) allUndecided.push(`No rule can be said to hold: ${loss}`);
  const output = new Output();
  for (const sentence of allBroken) output.line(sentence);
  if (allBroken.length === 0 && allUndecided.length === 0) output.line('All rules hold.');
  await output.flush();
  for (const sentence of allUndecided) warn(sentence);
  if (allBroken.length > 0) return BROKEN;
  return allUndecided.length > 0 ? UNDECIDED : 0;
}

/** What became slower, calls more, or fails more often. */
function worseThan(before: ComparedTrace, after: ComparedTrace): string[] {
  return compareTraces(before, after).different.flatMap((kind) => {
    const isWorse = ({ measure, before, after }: (typeof kind.differences)[number]) =>
      measure !== 'frequency' && after > before;
    return differenceSentences({ ...kind, differences: kind.differences.filter(isWorse) });
  });
}
