/** `tracewright check FILE`: fails if a trace breaks a rule, for continuous integration. */

import { differenceSentences } from '../../view/compare/comparison-text.ts';
import { type ComparedTrace, compareTraces } from '../../view/compare/trace-comparison.ts';
import { TraceKinds } from '../../view/compare/trace-kinds.ts';
import { lossText } from '../../view/report/reported-trace.ts';
import { FILE } from '../argument-values.ts';
import { CommandLine } from '../command-line.ts';
import { COMPARED_OPTIONS, comparedTrace } from '../diff.ts';
import { sentenceOf, warn } from '../messages.ts';
import { Output } from '../output.ts';
import { UsageError } from '../parse-options.ts';
import { explainTrace } from '../trace/explained-trace.ts';
import { FILES_HELP, NEWEST_HELP, newestRecording } from '../trace/trace-files.ts';
import { RuleChecks } from './rule-checks.ts';
import { RULE_OPTIONS, rulesOf } from './rules.ts';

export const commandLine = new CommandLine('check', '[OPTION]... [FILE]...', [
  `Checks a trace by rules. The exit status is 0 if all of them hold, 1 if one is broken, with a sentence for each, and 2 if
  FILE cannot be read, or lacks what a rule needs.`,
  `${FILES_HELP} ${NEWEST_HELP}`,
  RULE_OPTIONS,
  {
    rules: FILE.option(`a file with such rules: {"max-block": "50ms", "max": ["p99:Request=200ms"],
        "no-failures": true}`),
  },
  COMPARED_OPTIONS,
]);

const BROKEN = 1;
const UNDECIDED = 2;

/**
 * @returns the exit status
 * @throws UsageError
 */
export async function run(args: readonly string[]): Promise<number> {
  const given = commandLine.files(args, newestRecording);
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
