/** What the accounts of all activities say together, as sentences for people, and what the next recording should have. */
import { countText, thousands } from '../number-text.ts';
import type { Recorded } from './explained-activities.ts';
import type { Findings, KindFindings, LongestRuns, RepeatedCalls, WaitFinding } from './findings.ts';
import { type FramesOf, hottestCode } from './hot-code.ts';
import { codeText, duration, MIN_SHARE, modulesText, offText, placeText, whoText } from './sentences.ts';
import { NO_RUN, type State } from './states.ts';

/** Lines of each kind. */
const MAX_TOTALS = 8;

/** What made all activities together wait, most first: their states, then the calls that they repeat. */
export function totalsOf({ kinds, waits, blocks, modules }: Findings, framesOf: FramesOf): string[] {
  const allNs = kinds.reduce((sum, { totalNs }) => sum + totalNs, 0);
  const longest = [...waits.all]
    .filter(({ ns }) => ns >= allNs * MIN_SHARE)
    .sort((a, b) => b.ns - a.ns)
    .slice(0, MAX_TOTALS);
  const repeated = kinds.flatMap((kind) =>
    [...kind.repeated]
      .filter(([, { totalNs }]) => totalNs >= allNs * MIN_SHARE)
      .map(([label, each]) => ({ ns: each.totalNs, text: repeatedSentence(label, each, kind) })),
  );
  repeated.sort((a, b) => b.ns - a.ns);
  const block = blockText(blocks, framesOf);
  return [
    ...longest.map(totalSentence),
    ...(modules.ns >= allNs * MIN_SHARE && modules.ns > 0 ? [modulesText(modules)] : []),
    ...(block === undefined ? [] : [block]),
    ...repeated.slice(0, MAX_TOTALS).map(({ text }) => text),
  ];
}

/** Who blocked an event loop longest; undefined if nobody did for longer than the limit. */
export function blockText(
  { runs: [run], count, limitNs }: LongestRuns,
  framesOf: FramesOf,
): string | undefined {
  if (run === undefined) return undefined;
  const who = `${run.label}${codeText(hottestCode(run.stacks, framesOf)?.text)}`;
  const which = count === 1 ? 'the only time' : `the longest of ${thousands(count)} times`;
  const time = duration(run.endNs - run.startNs);
  return `${who} blocked the event loop for ${time} at ${duration(run.startNs)}, ${which} beyond ${duration(limitNs)}`;
}

/**
 * What the next recording should have, so that less is unknown.
 *
 * @param lostEvents of the trace
 */
export function hintsOf({ runs, cpu, samples, losses }: Recorded, lostEvents: number): string[] {
  const hints: string[] = [];
  if (!runs) {
    hints.push(
      'The trace does not say what the threads of Node.js ran and what their activities waited for: ' +
        '"tracewright collect" without --provider records that, as does the provider Node.Runtime:20:0.',
    );
  }
  if (runs && !cpu) {
    hints.push(
      'It is not recorded whether the threads were on a processor: that needs Linux, and the addon.',
    );
  }
  if (!samples) hints.push('No functions are named: "tracewright collect --cpu" samples them.');
  if (losses > 0) {
    hints.push(
      `${countText(losses, 'time')} events about what a thread ran are missing: that time is unknown.`,
    );
  }
  if (lostEvents > 0) {
    hints.push(`${countText(lostEvents, 'event')} of the trace are lost, perhaps starts or stops.`);
  }
  return hints;
}

function totalSentence({ state, what, ns, activities }: WaitFinding): string {
  const who = countText(activities, 'activity');
  const isNamed = state === 'held' && what !== NO_RUN;
  if (isNamed) return `${what} held up ${who} for ${duration(ns)}`;
  const isWait = state === 'threadPool' || state === 'pool' || state === 'otherSide';
  return `${totalText(state, what)}: ${duration(ns)}${isWait ? ' of waiting' : ''} in ${who}`;
}

function totalText(state: State, what: string): string {
  switch (state) {
    case 'held':
      return `ready, while ${what}`;
    case 'collection':
      return `garbage collection in ${whoText(what)}`;
    case 'running':
      return 'their own code';
    case 'offProcessor':
      return `their own code, ${offText(what)}`;
    case 'threadPool':
      return `the thread pool (${what})`;
    case 'timer':
      return 'timers of their own';
    case 'unknown':
      return `unknown (${what})`;
    default:
      return what;
  }
}

/** `9 calls of SELECT … in 40 of 41 GET /cart, one after the other`. */
function repeatedSentence(label: string, repeated: RepeatedCalls, kind: KindFindings): string {
  const { mostCalls, activities, inTurn } = repeated;
  const how = inTurn > activities / 2 ? 'one after the other' : 'at the same time';
  const who = `${thousands(activities)} of ${thousands(kind.count)} ${kind.label}`;
  return `N+1: up to ${thousands(mostCalls)} calls of ${label} in ${who}, ${how}${placeText(repeated)}: ${duration(repeated.totalNs)}`;
}
