/** The answer of `tracewright diff --json`: see docs/explain.md, which documents each member. */
import { differenceSentences } from './comparison-text.ts';
import type { ComparedTrace, Difference, KindDifference, TraceComparison } from './trace-comparison.ts';
import type { Kind } from './trace-kinds.ts';

/** Incremented when a member changes its meaning or goes; further members may come at any time. */
const SCHEMA = 1;
const MAX_KINDS = 1000;

export function comparisonJson(
  { different, onlyBefore, onlyAfter, comparisons, hasStates }: TraceComparison,
  before: ComparedTrace,
  after: ComparedTrace,
): object {
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

function traceJson({ kinds, durationNs, recorded }: ComparedTrace): object {
  const byTotal = [...kinds.kinds.values()].sort((a, b) => b.totalNs - a.totalNs);
  return {
    durationMSec: durationNs / NS_PER_MS,
    top: kinds.top,
    recorded,
    kinds: byTotal.slice(0, MAX_KINDS).map(kindJson),
  };
}

function kindJson({ name, label, count, top, failed, totalNs, durations }: Kind): object {
  const at = (share: number) => (durations.at(share) ?? 0) / NS_PER_MS;
  const quantiles = { p50MSec: at(0.5), p95MSec: at(0.95), maxMSec: at(1) };
  return { name, label, count, top, failed, totalMSec: totalNs / NS_PER_MS, ...quantiles };
}

function differentJson(kind: KindDifference): object {
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

function differenceJson({ measure, state, what, quantile, p, ...amounts }: Difference): object {
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
