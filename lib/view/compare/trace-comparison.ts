/** What differs between the activities of two traces by more than chance explains: see docs/explain.md. */
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { Recorded } from '../explain/explained-activities.ts';
import { codesOf, type FramesOf } from '../explain/hot-code.ts';
import type { State } from '../explain/states.ts';
import {
  adjusted,
  batchesOf,
  compareFrequencies,
  compareQuantiles,
  compareShares,
  type Frequency,
  type Values,
} from './noise.ts';
import type { Kind, Part, SampledActivity, TraceKinds } from './trace-kinds.ts';

/** A trace that has been read. */
export interface ComparedTrace {
  readonly kinds: TraceKinds;
  readonly recorded: Recorded;
  readonly framesOf: FramesOf;
  /** The trace lasts so long, until its last event. */
  readonly durationNs: number;
}

/**
 * What is compared:
 * - `duration`: how long activities take
 * - `state`: how long they are in one state
 * - `calls`: how often they call something
 * - `frequency`: how many there are to each activity at the top
 * - `failures`: the share of those that fail
 */
export type Measure = 'duration' | 'state' | 'calls' | 'frequency' | 'failures';

/** Beyond noise. */
export interface Difference {
  readonly measure: Measure;
  readonly state?: State | undefined;
  /** Which wait or call; empty for all of a state. */
  readonly what?: string | undefined;
  /** Of durations, states and calls: 0.5 or 0.95. */
  readonly quantile?: number;
  /** Nanoseconds, counts or shares. */
  readonly before: number;
  readonly after: number;
  /** The 95 % confidence interval of the difference; infinite where there are too few values. */
  readonly low?: number;
  readonly high?: number;
  /** How probable it is, for all comparisons together, if nothing differs. */
  readonly p: number;
}

/** What made a kind slower or faster: by how much the mean of a state has changed. */
export interface Cause {
  readonly state: State;
  readonly what: string;
  /** Means, in nanoseconds. */
  readonly before: number;
  readonly after: number;
  /** Whether that is beyond noise. */
  readonly isCertain: boolean;
  /** The function in which its samples have increased or decreased most. */
  readonly code?: string | undefined;
}

/** A kind of activities with a difference. */
export interface KindDifference {
  readonly name: string;
  readonly label: string;
  readonly before: Kind | undefined;
  readonly after: Kind | undefined;
  readonly differences: readonly Difference[];
  /** What explains most of a change of durations comes first. */
  readonly causes: readonly Cause[];
}

export interface TraceComparison {
  /** The largest change of the total time comes first. */
  readonly different: readonly KindDifference[];
  /** Kinds and calls of one trace that are too rare for chance to be excluded, by label. */
  readonly onlyBefore: readonly Kind[];
  readonly onlyAfter: readonly Kind[];
  /** How many comparisons were made. */
  readonly comparisons: number;
  /** Whether states are compared, which both traces must have. */
  readonly hasStates: boolean;
}

/** The chance that any difference is reported if there is none. */
const MAX_P = 0.05;
/** Smaller changes are no difference, however certain: two runs of one program differ by so much. */
const MIN_CHANGE = 0.05;
/** A state's change below this share of the kind's duration is none. */
const MIN_OF_DURATION = 0.01;
/** States and calls below this share of a kind are not compared. */
const MIN_SHARE = 0.01;
/** So many states, and so many calls, of a kind are compared. */
const MAX_COMPARED = 20;
/** With fewer activities of a kind, durations are not compared. */
const MIN_SAMPLE = 5;
const MAX_ONLY = 100;
const QUANTILES = [0.5, 0.95] as const;

interface Candidate {
  readonly key: string;
  readonly difference: Difference;
  /** Whether it is large enough to matter. */
  readonly isLarge: boolean;
}

export function compareTraces(before: ComparedTrace, after: ComparedTrace): TraceComparison {
  const keys = new Set([...before.kinds.kinds.keys(), ...after.kinds.kinds.keys()]);
  const hasStates = before.recorded.runs === after.recorded.runs;
  const hasCpu = before.recorded.cpu === after.recorded.cpu;
  const candidates: Candidate[] = [];
  for (const key of keys) {
    const [left, right] = [before.kinds.kinds.get(key), after.kinds.kinds.get(key)];
    const add = (difference: Difference, isLarge: boolean) => candidates.push({ key, difference, isLarge });
    compareFrequency(left, right, before, after, add);
    if (left !== undefined && right !== undefined) {
      compareFailures(left, right, add);
      compareTimes(left, right, measuresOf(left, right, hasStates, hasCpu), add);
    }
  }
  const probabilities = adjusted(candidates.map(({ difference }) => difference.p));
  const found = new Map<string, Difference[]>();
  for (const [index, { key, difference, isLarge }] of candidates.entries()) {
    const p = probabilities[index] as number;
    if (p >= MAX_P || !isLarge) continue;
    found.set(key, [...(found.get(key) ?? []), { ...difference, p }]);
  }
  const different = Array.from(found, ([key, differences]): KindDifference => {
    const [left, right] = [before.kinds.kinds.get(key), after.kinds.kinds.get(key)];
    const { name, label } = (right ?? left) as Kind;
    const causes =
      left === undefined || right === undefined || !hasStates
        ? []
        : causesOf(left, right, differences, hasCpu, before, after);
    return { name, label, before: left, after: right, differences, causes };
  });
  different.sort((a, b) => changeOf(b) - changeOf(a));
  const onlyIn = (here: ComparedTrace, there: ComparedTrace) =>
    [...here.kinds.kinds]
      .filter(([key]) => !there.kinds.kinds.has(key) && !found.has(key))
      .map(([, kind]) => kind)
      .sort((a, b) => b.count - a.count)
      .slice(0, MAX_ONLY);
  return {
    different,
    onlyBefore: onlyIn(before, after),
    onlyAfter: onlyIn(after, before),
    comparisons: candidates.length,
    hasStates,
  };
}

type Add = (difference: Difference, isLarge: boolean) => void;

function compareFrequency(
  left: Kind | undefined,
  right: Kind | undefined,
  before: ComparedTrace,
  after: ComparedTrace,
  add: Add,
): void {
  if (before.kinds.top === 0 || after.kinds.top === 0) return;
  const p = compareFrequencies(frequencyOf(left, before.kinds), frequencyOf(right, after.kinds));
  const perTop = [(left?.count ?? 0) / before.kinds.top, (right?.count ?? 0) / after.kinds.top] as const;
  const perNs = [(left?.count ?? 0) / before.durationNs, (right?.count ?? 0) / after.durationNs] as const;
  // A kind's share also falls when others become more frequent; then there are as many of it as before.
  const isFewer = isChanged(...perNs) && perNs[1] < perNs[0] && (right?.count ?? 0) < (left?.count ?? 0);
  const isLarge = isChanged(...perTop) && (perTop[1] > perTop[0] || isFewer);
  add({ measure: 'frequency', before: perTop[0], after: perTop[1], p }, isLarge);
}

function frequencyOf(kind: Kind | undefined, { top }: TraceKinds): Frequency {
  const inBatches = new Array<number>(batchesOf(top)).fill(0);
  const { count = 0, sample = [] } = kind ?? {};
  for (const { order } of sample) {
    const batch = Math.min(
      inBatches.length - 1,
      Math.floor((Math.max(0, order - 1) * inBatches.length) / top),
    );
    inBatches[batch] = (inBatches[batch] as number) + count / sample.length;
  }
  return { count, of: top, inBatches };
}

function compareFailures(left: Kind, right: Kind, add: Add): void {
  if (left.failed + right.failed === 0) return;
  const shareOf = (kind: Kind) => ({
    happened: kind.failed,
    cases: kind.count,
    sample: valuesOf(kind, ({ isFailed }) => (isFailed ? 1 : 0)),
  });
  const [before, after] = [left.failed / left.count, right.failed / right.count];
  const p = compareShares(shareOf(left), shareOf(right));
  add({ measure: 'failures', before, after, p }, isChanged(before, after));
}

/** Something that each activity has a number of. */
interface Compared extends Pick<Difference, 'measure' | 'state' | 'what'> {
  amountOf(kind: Kind): (activity: SampledActivity) => number;
}

function compareTimes(left: Kind, right: Kind, measures: readonly Compared[], add: Add): void {
  if (Math.min(left.sample.length, right.sample.length) < MIN_SAMPLE) return;
  for (const { measure, state, what, amountOf } of measures) {
    const [before, after] = [valuesOf(left, amountOf(left)), valuesOf(right, amountOf(right))];
    for (const quantile of QUANTILES) {
      const compared = compareQuantiles(before, after, quantile);
      const whole = measure === 'state' ? (left.durations.at(quantile) ?? 0) : 0;
      const isLarge =
        isChanged(compared.before, compared.after) &&
        Math.abs(compared.after - compared.before) >= MIN_OF_DURATION * whole;
      add({ measure, state, what, quantile, ...compared }, isLarge);
    }
  }
}

/** Returns the amounts of a kind's sample in the order of time. */
function valuesOf({ sample }: Kind, amountOf: (activity: SampledActivity) => number): Values {
  return Float64Array.from(
    [...sample].sort((a, b) => a.order - b.order),
    amountOf,
  );
}

/** The duration, each state, what is in it if that is several things, and calls. */
function measuresOf(left: Kind, right: Kind, hasStates: boolean, hasCpu: boolean): Compared[] {
  const parts = partsOf(left, right, hasCpu);
  const isLong = ({ before, after }: PartTotals) => Math.max(before, after) >= MIN_SHARE;
  const shares = parts.filter((part) => part.state !== undefined && isLong(part)).slice(0, MAX_COMPARED);
  const calls = parts.filter((part) => part.state === undefined && isLong(part)).slice(0, MAX_COMPARED);
  const states = new Set(shares.map(({ state }) => state));
  const measures: Compared[] = [
    {
      measure: 'duration',
      amountOf:
        () =>
        ({ durationNs }) =>
          durationNs,
    },
  ];
  for (const state of hasStates ? states : []) {
    const inState = shares.filter((part) => part.state === state);
    const isOf = (part: Part) => stateOf(part, hasCpu).state === state;
    if (inState.length > 1) measures.push({ measure: 'state', state, what: '', amountOf: sumOf(isOf) });
    for (const { what } of inState) {
      const isOfBoth = (part: Part) => isOf(part) && stateOf(part, hasCpu).what === what;
      measures.push({ measure: 'state', state, what, amountOf: sumOf(isOfBoth) });
    }
  }
  for (const { what } of calls) {
    const isCall = (part: Part) => part.state === undefined && part.what === what;
    measures.push({ measure: 'calls', what, amountOf: sumOf(isCall) });
  }
  return measures;
}

function sumOf(isOf: (part: Part) => boolean): Compared['amountOf'] {
  return (kind) => {
    const isIndexOf = kind.parts.map(isOf);
    return ({ parts }) => {
      let sum = 0;
      for (let i = 0; i < parts.length; i += 2)
        if (isIndexOf[parts[i] as number]) sum += parts[i + 1] as number;
      return sum;
    };
  };
}

interface PartTotals {
  readonly state: State | undefined;
  readonly what: string;
  /** Shares of all time of the kind, or calls per activity. */
  before: number;
  after: number;
}

/** Returns the parts of both kinds, the largest first. */
function partsOf(left: Kind, right: Kind, hasCpu: boolean): PartTotals[] {
  const totals = new Map<string, PartTotals>();
  for (const [side, kind] of [
    ['before', left],
    ['after', right],
  ] as const) {
    for (const part of kind.parts) {
      const { state, what } = stateOf(part, hasCpu);
      const key = `${state ?? ''} ${what}`;
      const known = totals.get(key) ?? { state, what, before: 0, after: 0 };
      known[side] += part.total / Math.max(1, state === undefined ? kind.count : kind.totalNs);
      totals.set(key, known);
    }
  }
  return [...totals.values()].sort((a, b) => Math.max(b.before, b.after) - Math.max(a.before, a.after));
}

/** Whether code was on a processor is compared only if both traces tell. */
function stateOf({ state, what }: Part, hasCpu: boolean): Pick<Part, 'state' | 'what'> {
  return state === 'offProcessor' && !hasCpu ? { state: 'running', what: '' } : { state, what };
}

/** What the change of the durations comes from. */
function causesOf(
  left: Kind,
  right: Kind,
  differences: readonly Difference[],
  hasCpu: boolean,
  before: ComparedTrace,
  after: ComparedTrace,
): Cause[] {
  const slower = differences.filter(({ measure }) => measure === 'duration' || measure === 'state');
  if (slower.length === 0) return [];
  const change = slower.reduce((sum, difference) => sum + difference.after - difference.before, 0);
  const hasSamples = before.recorded.samples && after.recorded.samples;
  const codeOf = (state: State, what: string, [of, to]: readonly [number, number]) => {
    if (state !== 'running' && state !== 'offProcessor' && state !== 'held') return undefined;
    const isHeld = state === 'held';
    const stacksOf = (trace: ComparedTrace, kind: Kind) =>
      codeShares(isHeld ? trace.kinds.holders.get(what) : kind.stacks, trace.framesOf);
    const [shares, newShares] = [stacksOf(before, left), stacksOf(after, right)];
    const increase = (code: string) => to * (newShares.get(code) ?? 0) - of * (shares.get(code) ?? 0);
    const codes = [...new Set([...shares.keys(), ...newShares.keys()])];
    const [most] = codes.sort((a, b) => Math.sign(change) * (increase(b) - increase(a)));
    return most !== undefined && Math.sign(increase(most)) === Math.sign(change) ? most : undefined;
  };
  const causes = partsOf(left, right, hasCpu).flatMap(({ state, what, ...shares }): Cause[] => {
    if (state === undefined) return [];
    const means = [
      (shares.before * left.totalNs) / left.count,
      (shares.after * right.totalNs) / right.count,
    ] as const;
    const isCertain = differences.some(
      (each) => each.state === state && (each.what === what || each.what === ''),
    );
    const isLarge = Math.abs(means[1] - means[0]) >= (MIN_OF_DURATION * left.totalNs) / left.count;
    if (!isLarge || Math.sign(means[1] - means[0]) !== Math.sign(change)) return [];
    const code = hasSamples ? codeOf(state, what, means) : undefined;
    return [{ state, what, before: means[0], after: means[1], isCertain, code }];
  });
  const size = ({ before, after, isCertain }: Cause) => (isCertain ? 1e18 : 0) + Math.abs(after - before);
  return causes.sort((a, b) => size(b) - size(a));
}

/** The share of each function in samples. */
function codeShares(
  stacks: ReadonlyMap<SampledStack, number> | undefined,
  framesOf: FramesOf,
): Map<string, number> {
  const found = [...codesOf(stacks ?? new Map(), framesOf)];
  const all = found.reduce((sum, [, { samples }]) => sum + samples, 0);
  return new Map(found.map(([text, { samples }]) => [text, samples / all]));
}

function isChanged(before: number, after: number): boolean {
  return before !== after && Math.abs(after - before) >= MIN_CHANGE * before;
}

/** The change of a kind's total time. */
function changeOf({ before, after }: KindDifference): number {
  return Math.abs((after?.totalNs ?? 0) - (before?.totalNs ?? 0));
}
