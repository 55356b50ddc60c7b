/**
 * What a report says about why activities were slow: the sentences of `tracewright explain`, where the time of the
 * slowest ones went, and who held their threads.
 */
import type { Account } from '../explain/account.ts';
import type { ActivityTime } from '../explain/activity-time.ts';
import type { Recorded } from '../explain/explained-activities.ts';
import { type Finding, Findings } from '../explain/findings.ts';
import { type FramesOf, hottestCode } from '../explain/hot-code.ts';
import type { LoopRun } from '../explain/loop-runs.ts';
import { othersOf, partsOf, sentenceOf } from '../explain/sentences.ts';
import { hintsOf, totalsOf } from '../explain/totals.ts';
import type { TracedActivity } from '../traced-activity.ts';
import type { Explanation, ReportExplanations, ReportHold } from './report-header.ts';

/** A report explains so many activities: each has up to a few kilobytes. */
const MAX_FINDINGS = 200;
/** More activities of one kind say the same. */
const MAX_OF_KIND = 20;
const MAX_HOLDS = 10;
/** A bar has so many parts. */
const MAX_STATES = 30;

/** It tells where in the report an activity is, and what its texts may be. */
interface ReportedNames {
  readonly numberOf: (activity: TracedActivity) => number | undefined;
  /** It bounds the length of all texts together. */
  readonly text: (text: string) => string;
}

export class ReportFindings {
  readonly #findings = new Findings({
    slowest: MAX_FINDINGS,
    slowestOfKind: MAX_OF_KIND,
    isChosen: false,
  });

  add(time: ActivityTime): void {
    this.#findings.add(time);
  }

  addRun(run: LoopRun): void {
    this.#findings.addRun(run);
  }

  explanations(recorded: Recorded, names: ReportedNames, framesOf: FramesOf): ReportExplanations {
    const found = this.#findings.findings();
    return {
      activities: found.flatMap((finding) => explanationOf(finding, names, framesOf)),
      count: this.#findings.count,
      totals: totalsOf(this.#findings, framesOf).map(names.text),
      // The report's notices tell of lost events.
      hints: found.length === 0 ? [] : hintsOf(recorded, 0),
    };
  }
}

/** There is none if the report does not contain the activity. */
function explanationOf(finding: Finding, names: ReportedNames, framesOf: FramesOf): Explanation[] {
  const { time, usualNs } = finding;
  const activity = names.numberOf(time.activity);
  if (activity === undefined) return [];
  const others = othersOf(finding);
  const parts = partsOf(finding, framesOf).slice(0, MAX_STATES);
  return [
    {
      activity,
      usualNs,
      sentence: names.text(sentenceOf(finding, framesOf)),
      others: others && names.text(others),
      states: parts.map((part) => ({ ...part, text: names.text(part.text) })),
      holds: holdsOf(time.account, names, framesOf),
    },
  ];
}

function holdsOf({ holds }: Account, names: ReportedNames, framesOf: FramesOf): ReportHold[] {
  return holds.slice(0, MAX_HOLDS).map(({ run, ns }) => {
    const code = hottestCode(run.stacks, framesOf)?.text;
    return {
      activity: run.activity && names.numberOf(run.activity),
      label: names.text(code === undefined ? run.label : `${run.label} (${code})`),
      startNs: run.startNs,
      endNs: run.endNs,
      ns,
    };
  });
}
