/** The answer of `tracewright diff --json`: see docs/explain.md, which documents each member. */

import type { Recorded } from '../explain/explained-activities.ts';
import { differenceSentences } from './comparison-text.ts';
import type {
  Cause,
  ComparedTrace,
  Difference,
  KindDifference,
  TraceComparison,
} from './trace-comparison.ts';
import type { Kind } from './trace-kinds.ts';

/** The times are in milliseconds. See docs/explain.md for each member. */
export interface Comparison {
  readonly schema: number;
  readonly before: ComparedSide;
  readonly after: ComparedSide;
  readonly comparisons: number;
  readonly hasStates: boolean;
  readonly different: readonly ComparedKind[];
  readonly onlyBefore: readonly CountedKind[];
  readonly onlyAfter: readonly CountedKind[];
}

/** One of the two traces. */
export interface ComparedSide {
  readonly durationMSec: number;
  readonly top: number;
  readonly recorded: Recorded;
  readonly kinds: readonly CountedKind[];
}

/** All activities of one name and label. */
export interface CountedKind {
  readonly name: string;
  readonly label: string;
  readonly count: number;
  readonly top: number;
  readonly failed: number;
  readonly totalMSec: number;
  readonly p50MSec: number;
  readonly p95MSec: number;
  readonly maxMSec: number;
}

/** A kind with differences beyond noise. */
export interface ComparedKind {
  readonly name: string;
  readonly label: string;
  readonly sentences: readonly string[];
  readonly differences: readonly ComparedMeasure[];
  /** What explains most of a change of durations comes first. */
  readonly causes: readonly Cause[];
}

/** Something that differs. Amounts are in milliseconds for `duration` and `state`, and counts or shares otherwise. */
export interface ComparedMeasure extends Pick<Difference, 'measure' | 'state' | 'what' | 'p'> {
  readonly quantile: number | undefined;
  readonly before: number | undefined;
  readonly after: number | undefined;
  /** The 95 % confidence interval of the difference; undefined where there are too few values. */
  readonly low: number | undefined;
  readonly high: number | undefined;
}

/** Incremented when a member changes its meaning or goes; further members may come at any time. */
const SCHEMA = 1;
const MAX_KINDS = 1000;

export function comparisonJson(
  { different, onlyBefore, onlyAfter, comparisons, hasStates }: TraceComparison,
  before: ComparedTrace,
  after: ComparedTrace,
): Comparison {
  return {
    schema: SCHEMA,
    before: traceJson(before),
    after: traceJson(after),
    comparisons,
    hasStates,
    different: different.map(differentJson),
    onlyBefore: onlyBefore.map(kindJson),
    onlyAfter: onlyAfter.map(kindJson),
  };
}

function traceJson({ kinds, durationNs, recorded }: ComparedTrace): ComparedSide {
  const byTotal = [...kinds.kinds.values()].sort((a, b) => b.totalNs - a.totalNs);
  return {
    durationMSec: durationNs / NS_PER_MS,
    top: kinds.top,
    recorded,
    kinds: byTotal.slice(0, MAX_KINDS).map(kindJson),
  };
}

function kindJson({ name, label, count, top, failed, totalNs, durations }: Kind): CountedKind {
  const at = (share: number) => (durations.at(share) ?? 0) / NS_PER_MS;
  const quantiles = { p50MSec: at(0.5), p95MSec: at(0.95), maxMSec: at(1) };
  return { name, label, count, top, failed, totalMSec: totalNs / NS_PER_MS, ...quantiles };
}

function differentJson(kind: KindDifference): ComparedKind {
  return {
    name: kind.name,
    label: kind.label,
    sentences: differenceSentences(kind),
    differences: kind.differences.map(differenceJson),
    causes: kind.causes.map(({ state, what, before, after, isCertain, code }) => ({
      state,
      what,
      before: before / NS_PER_MS,
      after: after / NS_PER_MS,
      isCertain,
      code,
    })),
  };
}

function differenceJson({ measure, state, what, quantile, p, ...amounts }: Difference): ComparedMeasure {
  const unit = measure === 'duration' || measure === 'state' ? NS_PER_MS : 1;
  const amount = (value: number | undefined) =>
    value === undefined || !Number.isFinite(value) ? undefined : value / unit;
  return {
    measure,
    state,
    what,
    quantile,
    before: amount(amounts.before),
    after: amount(amounts.after),
    low: amount(amounts.low),
    high: amount(amounts.high),
    p,
  };
}

const NS_PER_MS = 1e6;
