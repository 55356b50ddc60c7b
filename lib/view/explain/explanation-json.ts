/** The answer of `tracewright explain --json`: see docs/explain.md, which documents each member. */
import { activityKey } from '../activity-key.ts';
import type { ActivityTime } from './activity-time.ts';
import type { ModuleLoads } from './calls.ts';
import type { Recorded } from './explained-activities.ts';
import type { Finding, Findings, KindFindings } from './findings.ts';
import { type FramesOf, hottestCode } from './hot-code.ts';
import type { LoopRun } from './loop-runs.ts';
import { othersOf, sentenceOf } from './sentences.ts';
import type { State } from './states.ts';

/** The times are in milliseconds, `startMSec` since the start of the trace. See docs/explain.md for each member. */
export interface Explanation {
  readonly schema: number;
  readonly activities: readonly ExplainedActivity[];
  readonly kinds: readonly ExplainedKind[];
  readonly waits: readonly (ExplainedState & { readonly activities: number })[];
  readonly blocks: readonly ExplainedRun[];
  readonly modules: ExplainedModules;
  readonly recorded: Recorded;
  readonly hints: readonly string[];
}

/** What a thread ran for an activity, or outside of activities. */
export interface ExplainedRun {
  readonly by: string;
  readonly activityId: string | undefined;
  readonly startMSec: number;
  readonly durationMSec: number;
  readonly cpuMSec: number | undefined;
  readonly code: string | undefined;
}

/** The loading of modules. */
export interface ExplainedModules {
  readonly count: number;
  readonly msec: number;
  /** How many are of each package. */
  readonly packages: Readonly<Record<string, number>>;
}

/** A state, and what was waited for or held the thread. */
export interface ExplainedState {
  readonly state: State;
  readonly what: string;
  readonly msec: number;
}

export interface ExplainedActivity {
  readonly sentence: string;
  readonly others: string | undefined;
  readonly label: string;
  readonly name: string;
  readonly field: string | undefined;
  readonly activityId: string;
  readonly activityPath: string | undefined;
  readonly processId: number | undefined;
  readonly startMSec: number;
  readonly durationMSec: number;
  readonly isFailed: boolean;
  readonly usualMSec: number;
  readonly rank: number;
  readonly count: number;
  readonly cause: Omit<ExplainedState, 'msec'> | undefined;
  readonly code: string | undefined;
  readonly startedAt: string | undefined;
  readonly modules: ExplainedModules | undefined;
  readonly states: readonly (ExplainedState & {
    readonly atLeastMSec: number;
    readonly atMostMSec: number;
    readonly inner: Readonly<Partial<Record<State, number>>> | undefined;
  })[];
  readonly holds: readonly (ExplainedRun & {
    readonly msec: number;
    readonly victims: number;
    readonly lostMSec: number;
  })[];
  readonly calls: readonly {
    readonly label: string;
    readonly count: number;
    readonly failed: number;
    readonly inTurn: number;
    readonly totalMSec: number;
    readonly startedAt: string | undefined;
  }[];
}

/** All activities of one name and label. */
export interface ExplainedKind {
  readonly name: string;
  readonly label: string;
  readonly count: number;
  readonly failed: number;
  readonly totalMSec: number;
  readonly p50MSec: number;
  readonly p95MSec: number;
  readonly maxMSec: number;
  readonly repeated: readonly {
    readonly label: string;
    readonly activities: number;
    readonly calls: number;
    readonly mostCalls: number;
    readonly inTurn: number;
    readonly totalMSec: number;
    readonly startedAt: string | undefined;
  }[];
}

/** Incremented when a member changes its meaning or goes; further members may come at any time. */
const SCHEMA = 1;
const MAX_TOTALS = 100;
const MAX_CALLS = 20;

export function explanationJson(
  findings: Findings,
  recorded: Recorded,
  hints: readonly string[],
  framesOf: FramesOf,
): Explanation {
  const byTime = <T extends { readonly ns: number }>(waits: Iterable<T>) =>
    [...waits].sort((a, b) => b.ns - a.ns).slice(0, MAX_TOTALS);
  return {
    schema: SCHEMA,
    activities: findings.findings().map((finding) => activityJson(finding, framesOf)),
    kinds: findings.kinds.slice(0, MAX_TOTALS).map(kindJson),
    waits: byTime(findings.waits.all).map(({ state, what, ns, activities }) => ({
      state,
      what,
      msec: ms(ns),
      activities,
    })),
    blocks: findings.blocks.runs.map((run) => runJson(run, framesOf)),
    modules: modulesJson(findings.modules),
    recorded,
    hints,
  };
}

function activityJson(finding: Finding, framesOf: FramesOf): ExplainedActivity {
  const { time, kind, rank, usualNs, durationNs, cause } = finding;
  const { activity, account, label, stacks, startedAt, modules } = time;
  return {
    sentence: sentenceOf(finding, framesOf),
    others: othersOf(finding),
    label,
    name: activity.name,
    field: activity.extra,
    activityId: activity.id,
    activityPath: activityKey(activity.id, activity.processId)?.text,
    processId: activity.processId,
    startMSec: ms(activity.startNs),
    durationMSec: ms(durationNs),
    isFailed: activity.isFailed,
    usualMSec: ms(usualNs),
    rank,
    count: kind.count,
    cause: cause && { state: cause.state, what: cause.what },
    code: hottestCode(stacks, framesOf)?.text,
    startedAt,
    modules: modules && modulesJson(modules),
    states: account.entries.map(({ state, what, ns, atLeastNs, atMostNs, inner }) => ({
      state,
      what,
      msec: ms(ns),
      atLeastMSec: ms(atLeastNs),
      atMostMSec: ms(atMostNs),
      inner: inner && Object.fromEntries([...inner].map(([each, time]) => [each, ms(time)])),
    })),
    holds: account.holds.map(({ run, ns }) => ({
      ...runJson(run, framesOf),
      msec: ms(ns),
      victims: run.victims,
      lostMSec: ms(run.lostNs),
    })),
    calls: callsJson(time),
  };
}

function runJson(
  { label, activity, startNs, endNs, cpuNs, stacks }: LoopRun,
  framesOf: FramesOf,
): ExplainedRun {
  return {
    by: label,
    activityId: activity?.id,
    startMSec: ms(startNs),
    durationMSec: ms(endNs - startNs),
    cpuMSec: cpuNs === undefined ? undefined : ms(cpuNs),
    code: hottestCode(stacks, framesOf)?.text,
  };
}

function modulesJson({ count, ns, packages }: ModuleLoads): ExplainedModules {
  const most = [...packages].sort(([, a], [, b]) => b - a).slice(0, MAX_CALLS);
  return { count, msec: ms(ns), packages: Object.fromEntries(most) };
}

function callsJson({ calls }: ActivityTime): ExplainedActivity['calls'] {
  return [...calls]
    .sort((a, b) => b.totalNs - a.totalNs)
    .slice(0, MAX_CALLS)
    .map(({ label, count, failed, inTurn, totalNs, startedAt }) => ({
      label,
      count,
      failed,
      inTurn,
      totalMSec: ms(totalNs),
      startedAt,
    }));
}

function kindJson({ name, label, count, failed, totalNs, durations, repeated }: KindFindings): ExplainedKind {
  return {
    name,
    label,
    count,
    failed,
    totalMSec: ms(totalNs),
    p50MSec: ms(durations.at(0.5) ?? 0),
    p95MSec: ms(durations.at(0.95) ?? 0),
    maxMSec: ms(durations.max),
    repeated: [...repeated].slice(0, MAX_CALLS).map(([call, each]) => ({
      label: call,
      activities: each.activities,
      calls: each.calls,
      mostCalls: each.mostCalls,
      inTurn: each.inTurn,
      totalMSec: ms(each.totalNs),
      startedAt: each.startedAt,
    })),
  };
}

/** Nanoseconds are whole: six digits are exact. */
function ms(ns: number): number {
  return ns / 1e6;
}
