/** Which rules a trace breaks, in a sentence for each; and which it cannot decide, for what it lacks. */

import { kindTest } from '../../view/compare/trace-kinds.ts';
import type { ActivityTime } from '../../view/explain/activity-time.ts';
import type { Recorded } from '../../view/explain/explained-activities.ts';
import { LongestRuns } from '../../view/explain/findings.ts';
import type { FramesOf } from '../../view/explain/hot-code.ts';
import type { LoopRun } from '../../view/explain/loop-runs.ts';
import { duration } from '../../view/explain/sentences.ts';
import { stateOfCall } from '../../view/explain/states.ts';
import { blockText } from '../../view/explain/totals.ts';
import { countText, thousands } from '../../view/number-text.ts';
import type { TracedActivity } from '../../view/traced-activity.ts';
import type { Limit, Rules } from './rules.ts';

/** Names of a trace that are told apart; further ones count together. */
const MAX_NAMES = 5000;
const OTHERS = '(others)';
/** A sentence lists no more. */
const MAX_LISTED = 3;
/** Calls that ask something of another program: see `stateOfCall`. */
const QUERIES = new Set(['the database', 'the response']);

/** What is known about the activities under one limit. */
interface Limited {
  count: number;
  tooLong: number;
  longestNs: number;
}

interface Counted {
  count: number;
  failed: number;
}

interface Repeated {
  readonly label: string;
  readonly called: string;
  activities: number;
  most: number;
}

interface Verdict {
  /** Each broken rule has a sentence. */
  readonly broken: readonly string[];
  /** Each rule that cannot be decided has a sentence that says why. */
  readonly undecided: readonly string[];
}

export class RuleChecks {
  readonly #rules: Rules;
  readonly #limits: readonly LimitCheck[];
  readonly #byLabel = new Map<string, Counted>();
  readonly #repeated = new Map<string, Repeated>();
  /** The labels of queries, which other calls have none of. */
  readonly #queries = new Set<string>();
  readonly #blocks: LongestRuns;

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#limits = rules.limits.map((limit) => new LimitCheck(limit));
    this.#blocks = new LongestRuns(rules.maxBlockNs ?? Number.POSITIVE_INFINITY, 1);
  }

  takeRun(run: LoopRun): void {
    this.#blocks.add(run);
  }

  take({ activity, label, account, calls }: ActivityTime): void {
    const { name, isFailed } = activity;
    for (const limit of this.#limits) limit.add(name, label, account.totalNs);
    const counted = bounded(this.#byLabel, label, () => ({ count: 0, failed: 0 }));
    counted.count++;
    if (isFailed) counted.failed++;
    const { repeatedQueries } = this.#rules;
    if (repeatedQueries === undefined) return;
    if (QUERIES.has(stateOfCall(name)?.what ?? '') && this.#queries.size < MAX_NAMES)
      this.#queries.add(label);
    for (const { label: called, count } of calls) {
      if (count < repeatedQueries) continue;
      const first = () => ({ label, called, activities: 0, most: 0 });
      const repeated = bounded(this.#repeated, `${label}\0${called}`, first);
      repeated.activities++;
      repeated.most = Math.max(repeated.most, count);
    }
  }

  /** Takes an activity that was still open at the end of the trace: it took at least so long. */
  takeOpen({ name, task }: TracedActivity, atLeastNs: number): void {
    for (const limit of this.#limits) limit.addOpen(name, task, atLeastNs);
  }

  verdict(recorded: Recorded, framesOf: FramesOf): Verdict {
    const broken: string[] = [];
    const undecided: string[] = [];
    this.#checkBlocks(recorded, framesOf, broken, undecided);
    for (const limit of this.#limits) limit.check(broken, undecided);
    this.#checkRepeated(broken, undecided);
    this.#checkFailures(broken, undecided);
    return { broken, undecided };
  }

  #checkBlocks({ runs, losses }: Recorded, framesOf: FramesOf, broken: string[], undecided: string[]): void {
    if (this.#rules.maxBlockNs === undefined) return;
    const block = blockText(this.#blocks, framesOf);
    if (block !== undefined) broken.push(`${block}.`);
    else if (!runs) {
      undecided.push(
        '--max-block: the trace does not say what the threads of Node.js ran; "tracewright collect" without ' +
          '--provider records that.',
      );
    } else if (losses > 0) {
      undecided.push(`--max-block: ${countText(losses, 'time')} events about what a thread ran are missing.`);
    }
  }

  #checkRepeated(broken: string[], undecided: string[]): void {
    const { repeatedQueries } = this.#rules;
    if (repeatedQueries === undefined) return;
    const repeated = [...this.#repeated.values()].filter(({ called }) => this.#queries.has(called));
    repeated.sort((a, b) => b.most - a.most);
    if (repeated.length > 0) {
      const texts = repeated.map(({ label, called, activities, most }) => {
        const of = countText(this.#byLabel.get(label)?.count ?? activities, 'activity');
        return `${label} repeats ${called} up to ${thousands(most)} times, in ${thousands(activities)} of ${of}`;
      });
      broken.push(`${listed(texts)}; fewer than ${thousands(repeatedQueries)} times are allowed.`);
    } else if (this.#queries.size === 0) {
      undecided.push(
        '--no-repeated-queries: the trace has no queries or HTTP calls; tracewright/auto and "tracewright collect" ' +
          'without --provider record those of Node.js.',
      );
    }
  }

  #checkFailures(broken: string[], undecided: string[]): void {
    if (!this.#rules.noFailures) return;
    const failed = [...this.#byLabel].filter(([, counted]) => counted.failed > 0);
    failed.sort(([, a], [, b]) => b.failed - a.failed);
    const texts = failed.map(
      ([label, each]) => `${thousands(each.failed)} of ${thousands(each.count)} ${label} failed`,
    );
    if (texts.length > 0) broken.push(`${listed(texts)}.`);
    else if (this.#byLabel.size === 0) undecided.push('--no-failures: the trace has no activities.');
  }
}

/** A limit holds for all activities of its name together; one with `*` limits each kind on its own. */
class LimitCheck {
  readonly #limit: Limit;
  readonly #matches: ReturnType<typeof kindTest>;
  readonly #limited = new Map<string, Limited>();

  constructor(limit: Limit) {
    this.#limit = limit;
    this.#matches = kindTest(limit.name);
  }

  add(name: string, label: string, ns: number): void {
    if (!this.#matches({ name, label })) return;
    const isEach = this.#limit.name.includes('*');
    const first = () => ({ count: 0, tooLong: 0, longestNs: 0 });
    const limited = bounded(this.#limited, isEach ? label : this.#limit.name, first);
    limited.count++;
    limited.longestNs = Math.max(limited.longestNs, ns);
    if (ns > this.#limit.limitNs) limited.tooLong++;
  }

  addOpen(name: string, task: string, atLeastNs: number): void {
    if (atLeastNs > this.#limit.limitNs) this.add(name, task, atLeastNs);
  }

  check(broken: string[], undecided: string[]): void {
    const { text, share, limitNs } = this.#limit;
    if (this.#limited.size === 0) {
      undecided.push(`--max ${text}: the trace has no such activity that has ended.`);
      return;
    }
    const isBroken = ({ count, tooLong }: Limited) => tooLong > count - Math.ceil(share * count);
    const over = [...this.#limited].filter(([, limited]) => isBroken(limited));
    over.sort(([, a], [, b]) => b.longestNs - a.longestNs);
    if (over.length === 0) return;
    const texts = over.map(
      ([label, { count, tooLong, longestNs }]) =>
        `${thousands(tooLong)} of ${thousands(count)} ${label} took longer than ${duration(limitNs)}, up to ${duration(longestNs)}`,
    );
    broken.push(`${listed(texts)} (--max ${text}).`);
  }
}

/** What is known by a name, or by that of all others if there are too many. */
function bounded<T>(all: Map<string, T>, name: string, first: () => T): T {
  const key = all.has(name) || all.size < MAX_NAMES ? name : OTHERS;
  const known = all.get(key) ?? first();
  all.set(key, known);
  return known;
}

function listed(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? `, and ${thousands(texts.length - MAX_LISTED)} others` : '';
  return `${texts.slice(0, MAX_LISTED).join(', ')}${more}`;
}
