/** What the account of one activity says, as sentences for people. */
import { countText, thousands } from '../number-text.ts';
import type { AccountEntry } from './account.ts';
import type { ActivityTime } from './activity-time.ts';
import type { Calls, ModuleLoads } from './calls.ts';
import { OUTSIDE } from './explained-activities.ts';
import { type Finding, longestHold } from './findings.ts';
import { type FramesOf, type HotCode, hottestCode, ITSELF } from './hot-code.ts';
import type { LoopRun } from './loop-runs.ts';
import { fillerIn, queueText } from './pool-queue.ts';
import { BLOCKED, NO_RUN, PREEMPTED, SHORT_RUNS, type State, stateOfCall } from './states.ts';

const NS_PER_MS = 1e6;
/** Smaller shares of a duration are not worth a line. */
export const MIN_SHARE = 0.01;
/** A smaller rest is rounding. */
const MIN_REST = 1e-4;

/** A state of an activity, or all those that are too short to be shown. */
interface StatePart {
  readonly state: State | 'rest';
  readonly text: string;
  /** Those of an activity add up to its duration. */
  readonly ns: number;
  readonly atLeastNs: number;
}

/** Others are worth a mention from this share on. */
const TOLD_SHARE = 0.1;
const NEARLY_ALL = 0.9;
/** An activity waits for nothing outside in these states. */
const OWN_STATES: Readonly<Partial<Record<State, true>>> = {
  running: true,
  offProcessor: true,
  collection: true,
  held: true,
  unknown: true,
};

/** `GET /user/:id took 276 ms, usually 21, the slowest of 163: for 254 ms …` */
export function sentenceOf(finding: Finding, framesOf: FramesOf): string {
  const { time, kind, durationNs, usualNs, rank, cause } = finding;
  const usual =
    kind.count > 1
      ? `, usually ${duration(usualNs)} (p50), ${ordinal(rank)}slowest of ${thousands(kind.count)}`
      : '';
  const failed = time.activity.isFailed ? ' and failed' : '';
  const head = `${time.label} took ${duration(durationNs)}${failed}${usual}.`;
  const why = cause === undefined ? '' : ` ${causeOf(cause, finding, framesOf)}`;
  const { modules, startedAt } = time;
  const isTold = modules !== undefined && modules.ns >= durationNs * TOLD_SHARE;
  const loads = isTold ? ` ${modulesText(modules)}.` : '';
  const place = startedAt === undefined ? '' : ` It was started at ${startedAt}.`;
  return `${head}${why}${loads}${place}`;
}

/** Each state, longest first. */
export function partsOf(finding: Finding, framesOf: FramesOf): StatePart[] {
  const { time, durationNs } = finding;
  const shown = time.account.entries.filter(({ ns }) => ns > 0 && ns >= durationNs * MIN_SHARE);
  const rest = durationNs - shown.reduce((sum, { ns }) => sum + ns, 0);
  const parts = shown.map((entry): StatePart => {
    const { state, ns, atLeastNs } = entry;
    const what = queueText(entry.what, entry.jobs);
    const bounds = isExact(entry) ? '' : ` (${range(entry)})`;
    return { state, ns, atLeastNs, text: `${stateText(state, what, finding, framesOf)}${bounds}` };
  });
  if (rest > 0 && shown.length > 0) {
    parts.push({ state: 'rest', ns: rest, atLeastNs: rest, text: 'the rest, each below 1 %' });
  }
  return parts;
}

/** `412 ms went into loading 214 modules, 180 of aws-sdk` */
export function modulesText({ count, ns, packages }: ModuleLoads): string {
  const [largest] = [...packages].filter(([name]) => name !== '').sort(([, a], [, b]) => b - a);
  const most = largest === undefined ? '' : `, ${thousands(largest[1])} of ${largest[0]}`;
  return `${duration(ns)} went into loading ${countText(count, 'module')}${most}`;
}

/** Returns the sentences as lines. */
export function linesOf(finding: Finding, framesOf: FramesOf): string[] {
  const isTold = ({ state, ns }: StatePart) => state !== 'rest' || ns >= finding.durationNs * MIN_REST;
  const parts = partsOf(finding, framesOf).filter(isTold);
  return parts.map(({ ns, text }) => `${cell(ns)}  ${text}`);
}

/** Who else the longest hold has made wait; undefined if nobody. */
export function othersOf({ time, cause }: Finding): string | undefined {
  if (cause?.state !== 'held') return undefined;
  const hold = longestHold(time, cause.what);
  if (hold === undefined || hold.run.victims < 2) return undefined;
  const others = hold.run.victims - 1;
  const lost = duration(hold.run.lostNs - hold.ns);
  return `${countText(others, 'other activity')} lost ${lost} to the same run of ${hold.run.label}.`;
}

function causeOf(entry: AccountEntry, finding: Finding, framesOf: FramesOf): string {
  const { state, what } = entry;
  const { time } = finding;
  const time_ = range(entry);
  switch (state) {
    case 'running':
      return ranText(finding, framesOf);
    case 'offProcessor':
      return what === PREEMPTED.what ? ranText(finding, framesOf) : blockedText(entry, finding, framesOf);
    case 'collection':
      return `For ${time_} V8 collected garbage in ${whoText(what)}${orWaitedText(entry, finding)}.`;
    case 'held':
      return heldText(entry, finding, framesOf);
    case 'unknown':
      return `For ${time_} the trace does not say what it waited for: ${what}.`;
    default: {
      const inside = state === 'child' ? insideText(what, finding, framesOf) : '';
      return `It waited ${time_} ${waitText(entry, time.calls)}${orHeldText(entry, finding)}.${inside}`;
    }
  }
}

/** Why the longest of such calls took so long, if that was code of the application. */
function insideText(what: string, finding: Finding, framesOf: FramesOf): string {
  let time: ActivityTime | undefined = finding.time;
  let isOnly = true;
  for (const label of what.split(' › ')) {
    const calls: Calls<ActivityTime> | undefined = time.calls.find((each) => each.label === label);
    if (calls === undefined) return '';
    time = calls.longest;
    isOnly &&= calls.count === 1;
  }
  const [cause] = time.account.entries;
  const isKnown = cause !== undefined && cause.state !== 'child' && cause.state !== 'unknown';
  if (!isKnown || stateOfCall(time.activity.name) !== undefined) return '';
  const [first = '', ...rest] = causeOf(cause, { ...finding, time }, framesOf);
  return ` ${isOnly ? 'There' : 'In the longest'}, ${first.toLowerCase()}${rest.join('')}`;
}

function poolText({ what, jobs }: AccountEntry): string {
  const filler = fillerIn(what);
  if (filler === undefined) return `for the thread pool (${what})`;
  return `in the queue of the thread pool, which ${jobs === 0 ? '' : `${thousands(jobs)} `}${filler} filled`;
}

function waitText(entry: AccountEntry, calls: readonly Calls[]): string {
  const { state, what } = entry;
  switch (state) {
    case 'child':
      return `for ${callsText(what, calls)}`;
    case 'threadPool':
      return poolText(entry);
    case 'timer':
      return `for a timer that it had set itself${retryText(calls)}`;
    default:
      return `for ${what}`;
  }
}

/** Says how long it may have been held, and by what, if that is most of the time that it seems to have waited. */
function orHeldText({ ns, atMostNs }: AccountEntry, { time }: Finding): string {
  if (atMostNs <= 2 * ns) return '';
  const doubt = ({ state, ns, atLeastNs }: AccountEntry) => (state === 'held' ? ns - atLeastNs : 0);
  const [held] = [...time.account.entries].sort((a, b) => doubt(b) - doubt(a));
  if (held === undefined || doubt(held) <= ns / 2) return '';
  return `; for up to ${duration(doubt(held))} of that it may have been ready, while the loop ran ${held.what}`;
}

/** Says what it may have waited for, if that is most of the time that it seems to have been held. */
function orWaitedText({ ns, atLeastNs }: AccountEntry, { time }: Finding): string {
  if (2 * atLeastNs >= ns) return '';
  const doubt = (entry: AccountEntry) => (entry.state in OWN_STATES ? 0 : entry.atMostNs - entry.ns);
  const [waited] = [...time.account.entries].sort((a, b) => doubt(b) - doubt(a));
  if (waited === undefined || doubt(waited) <= ns / 4) return '';
  return `, or it still waited ${waitText(waited, time.calls)}`;
}

/** While it had no processor because of others, its code ran as far as it can tell. */
function ranText(finding: Finding, framesOf: FramesOf): string {
  const { account } = finding.time;
  const ran = account.nsOf('running');
  const preempted = account.entries.find(
    ({ what, state }) => state === 'offProcessor' && what === PREEMPTED.what,
  );
  const all = ran + (preempted?.ns ?? 0);
  const share = preempted === undefined || preempted.ns < all * TOLD_SHARE;
  const off = share ? '' : `, ${duration(preempted.ns)} of that without a processor, which others used`;
  return `For ${duration(all)} its own code ran${codeText(ownCode(finding, framesOf)?.text)}${off}.`;
}

function blockedText(entry: AccountEntry, finding: Finding, framesOf: FramesOf): string {
  const code = ownCode(finding, framesOf);
  const { account } = finding.time;
  const why = entry.what === '' ? `${reasonOf(code)}, or too few processors` : reasonOf(code);
  const ownNs = account.nsOf('running') + account.nsOf('offProcessor');
  const isCertain = 2 * entry.atLeastNs > entry.ns;
  const isAll = code === undefined || code.share < NEARLY_ALL || isNearly(entry.ns, ownNs);
  if (isAll && isCertain) {
    return `For ${range(entry)} its own code blocked the thread${codeText(code?.text)}: ${why}.`;
  }
  return `For ${duration(ownNs)} its own code ran${codeText(code?.text)}, which blocked the thread for ${range(entry)}: ${why}.`;
}

/** What blocks a thread in such code. */
function reasonOf(code: HotCode | undefined): string {
  const called = code?.called;
  if (code === undefined) return 'synchronous I/O, a child process or a lock';
  if (called === undefined) return 'a lock (Atomics.wait) or a native module';
  if (/^node:(?:internal\/)?child_process|spawn_sync/.test(called)) return 'a child process';
  return /^node:(?:internal\/)?fs/.test(called) ? 'synchronous I/O' : `synchronous work of ${called}`;
}

function heldText(entry: AccountEntry, finding: Finding, framesOf: FramesOf): string {
  const { what } = entry;
  const hold = longestHold(finding.time, what);
  const code = hottestCode(hold?.run.stacks, framesOf)?.text;
  if (what === NO_RUN) return `For ${range(entry)} it was ready, while ${what}.`;
  const outside = hold?.run.waker === 'timer' ? `${OUTSIDE}, called by a timer` : what;
  const another = what === finding.time.label ? `another ${what}` : what;
  const by =
    what === ITSELF || (what === OUTSIDE && code === ITSELF) ? ITSELF : what === OUTSIDE ? outside : another;
  const off = hold === undefined ? '' : runOffText(hold.run);
  return `For ${range(entry)} the loop ran ${what === SHORT_RUNS ? 'many other short runs' : by}${by === ITSELF ? '' : codeText(code)}${off}; it was ready${orWaitedText(entry, finding)}.`;
}

/** A run that blocked the thread for most of its time. */
function runOffText({ cpuNs, processorWaitNs, startNs, endNs }: LoopRun): string {
  const durationNs = endNs - startNs;
  if (cpuNs === undefined || cpuNs > durationNs / 2) return '';
  return (processorWaitNs ?? 0) > durationNs / 2
    ? ', mostly without a processor, which others used'
    : ', which blocked the thread without using a processor';
}

function ownCode({ time }: Finding, framesOf: FramesOf): HotCode | undefined {
  return hottestCode(time.stacks, framesOf);
}

/** How a thread was on no processor. */
export function offText(what: string): string {
  if (what === BLOCKED.what) return 'blocked without using a processor';
  return what === PREEMPTED.what ? 'without a processor, which others used' : 'while on no processor';
}

/** What ran. */
export function whoText(label: string): string {
  return label === '' ? OUTSIDE : label;
}

export function codeText(code: string | undefined): string {
  return code === undefined ? '' : ` (${code})`;
}

function callsText(what: string, calls: readonly Calls[]): string {
  const [label = what] = what.split(' › ', 1);
  const known = calls.find((each) => each.label === label);
  if (known === undefined) return what;
  if (known.count === 1) return `${what}${placeText(known)}`;
  const inTurn = known.inTurn > known.count / 2;
  const how = inTurn ? 'one after the other' : 'at the same time';
  const repeats = isRetried(known) ? failedText(known) : known.count >= 5 ? ' (N+1)' : '';
  return `${thousands(known.count)} calls of ${what}, ${how}${repeats}${placeText(known)}`;
}

export function placeText({ startedAt }: { readonly startedAt: string | undefined }): string {
  return startedAt === undefined ? '' : `, at ${startedAt}`;
}

/** Calls that failed and were made again. */
function retryText(calls: readonly Calls[]): string {
  const retried = calls.find(isRetried);
  if (retried === undefined) return '';
  return `, between ${thousands(retried.count)} calls of ${retried.label}${failedText(retried)}`;
}

function isRetried({ count, failed, inTurn }: Calls): boolean {
  return failed > 0 && count > 1 && inTurn > 1;
}

function failedText({ failed }: Calls): string {
  return `, of which ${thousands(failed)} failed: it retries`;
}

function stateText(state: AccountEntry['state'], what: string, finding: Finding, framesOf: FramesOf): string {
  switch (state) {
    case 'running':
      return `its own code${codeText(ownCode(finding, framesOf)?.text)}`;
    case 'offProcessor':
      return `its own code, ${offText(what)}`;
    case 'collection':
      return `garbage collection in ${whoText(what)}`;
    case 'held':
      return what === NO_RUN ? `ready, while ${what}` : `ready, while the loop ran ${what}`;
    case 'child':
      return callsText(what, finding.time.calls);
    case 'threadPool':
      return `thread pool: ${what}`;
    case 'pool':
      return `waited for ${what}`;
    case 'timer':
      return 'a timer of its own';
    case 'otherSide':
      return `waited for ${what}`;
    case 'unknown':
      return `unknown: ${what}`;
  }
}

/** `208 to 254 ms`, or `254 ms` if both are nearly the same. */
function range(entry: AccountEntry): string {
  const { ns, atLeastNs, atMostNs } = entry;
  if (isExact(entry)) return duration(ns);
  if (atLeastNs < atMostNs * 0.05) return `up to ${duration(atMostNs)}`;
  return `${number(atLeastNs)} to ${duration(atMostNs)}`;
}

function isExact({ ns, atLeastNs, atMostNs }: AccountEntry): boolean {
  return isNearly(ns - (atMostNs - atLeastNs), ns);
}

function isNearly(ns: number, wholeNs: number): boolean {
  return wholeNs - ns <= Math.max(wholeNs * 0.02, NS_PER_MS);
}

/** `12.3 ms`, `263 ms`, `1.94 s` */
export function duration(ns: number): string {
  return ns < 9.9995e9 ? `${number(ns)} ms` : `${(ns / 1e9).toFixed(1)} s`;
}

function number(ns: number): string {
  const ms = ns / NS_PER_MS;
  return ms < 100 ? ms.toFixed(ms < 10 ? 2 : 1) : thousands(Math.round(ms));
}

function cell(ns: number): string {
  return `${number(ns)} ms`.padStart(12);
}

function ordinal(rank: number): string {
  if (rank === 1) return 'the ';
  const rest = rank % 100;
  const ending = rest > 10 && rest < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][rank % 10] ?? 'th');
  return `${rank}${ending} `;
}
