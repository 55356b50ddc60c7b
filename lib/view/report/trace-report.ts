/**
 * What a report shows of a trace, collected in one pass: its events and activities as columns, the names they share,
 * and sentences on what is missing. A report is for a browser, so its size is bounded.
 */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { ActivityStats, type NameStats } from '../activity-stats.ts';
import { thousands } from '../number-text.ts';
import { type ActivityChange, TraceActivities } from '../trace-activities.ts';
import type { TracedActivity } from '../traced-activity.ts';
import { ActivityColumns, type ReportedActivity } from './activity-columns.ts';
import { EventColumns } from './event-columns.ts';
import { shortened } from './interned.ts';
import { COLUMN_NAMES, type ColumnName, type NameStatistics, type ReportHeader } from './report-header.ts';
import { ReportNames } from './report-names.ts';

/** Facts about the trace that its events do not contain. */
export interface ReportedTrace {
  readonly name: string;
  readonly format: string;
  readonly startTime: string | undefined;
  readonly processNames: ReadonlyMap<number, string>;
  /** Sentences on what is missing from the trace. */
  readonly notices: readonly string[];
}

/** The page's input. */
export interface ReportContent {
  readonly header: ReportHeader;
  readonly columns: Readonly<Record<ColumnName, Uint8Array>>;
}

export interface ReportLimits {
  readonly events: number;
  readonly activities: number;
}

/** What a browser can still display smoothly. */
const LIMITS: ReportLimits = { events: 2_000_000, activities: 1_000_000 };

export class TraceReport {
  readonly #tracker = new TraceActivities();
  readonly #stats = new ActivityStats();
  readonly #names = new ReportNames();
  readonly #events = new EventColumns(this.#names);
  readonly #activities: ReportedActivity[] = [];
  readonly #indices = new WeakMap<TracedActivity, number>();
  readonly #limits: ReportLimits;
  #startNs: number | undefined;
  #eventCount = 0;
  #activityCount = 0;

  constructor(limits: ReportLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    this.#eventCount++;
    const change = this.#tracker.add(event);
    const { nowNs } = this.#tracker;
    this.#startNs ??= nowNs;
    if (change !== undefined) this.#stats.add(change);
    const isNew = change !== undefined && isFirstSeen(change);
    if (isNew) this.#activityCount++;
    const isKept = isNew && this.#activities.length < this.#limits.activities;
    const activity = change?.activity ?? this.#tracker.activityOf(event);
    // The index that the activity will get.
    if (isKept) this.#indices.set(change.activity, this.#activities.length);
    const index = activity === undefined ? undefined : this.#indices.get(activity);
    const isWritten = this.#events.count < this.#limits.events;
    const number = isWritten ? this.#events.add(event, nowNs, index) : undefined;
    if (isKept) this.#keep(change, number);
    else if (change !== undefined && index !== undefined) {
      (this.#activities[index] as ReportedActivity).stopEvent = number;
    }
  }

  #keep({ activity, boundary }: ActivityChange, event: number | undefined): void {
    const isStart = boundary === 'Start';
    this.#activities.push({
      activity,
      startEvent: isStart ? event : undefined,
      stopEvent: isStart ? undefined : event,
    });
  }

  /** The content of the report after all events. */
  content(trace: ReportedTrace): ReportContent {
    const startNs = this.#startNs ?? 0;
    const columns = this.#columns(startNs);
    const sizes = COLUMN_NAMES.map((name) => [name, columns[name].length] as const);
    const header: ReportHeader = {
      name: shortened(trace.name),
      format: trace.format,
      startTime: trace.startTime,
      startNs,
      endNs: Math.max(startNs, this.#tracker.nowNs),
      eventCount: this.#eventCount,
      activityCount: this.#activityCount,
      notices: [...trace.notices, ...this.#notices()],
      providers: this.#names.providers,
      kinds: this.#names.kinds.values,
      tasks: this.#names.tasks,
      threads: this.#names.threads(trace.processNames),
      shapes: this.#events.payloads.shapes,
      statistics: this.#stats.names.slice(0, MAX_STATISTICS).map(statisticsOf),
      columnSizes: Object.fromEntries(sizes) as Record<ColumnName, number>,
    };
    return { header, columns };
  }

  #columns(startNs: number): Record<ColumnName, Uint8Array> {
    const events = this.#events;
    const activities = new ActivityColumns(this.#activities, startNs, this.#names);
    return {
      eventTime: events.time.current(),
      eventKind: events.kind.current(),
      eventThread: events.thread.current(),
      eventActivity: events.activity.current(),
      eventId: events.id.current(),
      eventRelatedId: events.relatedId.current(),
      eventShape: events.payloads.shape.current(),
      eventValuesSize: events.payloads.size.current(),
      activityStart: activities.start.current(),
      activityDuration: activities.duration.current(),
      activityCovered: activities.covered.current(),
      activityState: activities.state.current(),
      activityTask: activities.task.current(),
      activityId: activities.id.current(),
      activityParent: activities.parent.current(),
      activityThread: activities.thread.current(),
      activityStartEvent: activities.startEvent.current(),
      activityStopEvent: activities.stopEvent.current(),
      idSize: this.#names.idSize.current(),
      ids: this.#names.idTexts.current(),
      values: events.payloads.values.current(),
    };
  }

  #notices(): string[] {
    const { count, payloads } = this.#events;
    const notices: string[] = [];
    const say = (number: number, sentence: string) => {
      if (number > 0) notices.push(sentence);
    };
    say(
      this.#eventCount - count,
      `Only the first ${thousands(count)} of ${thousands(this.#eventCount)} events are in this report.`,
    );
    say(
      this.#activityCount - this.#activities.length,
      `Only the first ${thousands(this.#activities.length)} of ${thousands(this.#activityCount)} activities ` +
        'are in this report; the statistics include all.',
    );
    say(
      payloads.leftOut,
      `The payloads of ${eventsText(payloads.leftOut)} are omitted because of their size.`,
    );
    say(payloads.shortened, `Long values of ${eventsText(payloads.shortened)} are shortened.`);
    const names = this.#stats.names.length;
    say(
      names - MAX_STATISTICS,
      `Of ${thousands(names)} activity names, statistics cover the ${thousands(MAX_STATISTICS)} ` +
        'with the longest total duration.',
    );
    say(
      this.#tracker.startsWithoutId,
      `${thousands(this.#tracker.startsWithoutId)} starts have no activity id, and are shown only as events.`,
    );
    return notices;
  }
}

const MAX_STATISTICS = 5000;

function isFirstSeen({ boundary, activity }: ActivityChange): boolean {
  return boundary === 'Start' || activity.state === 'unstarted';
}

function eventsText(count: number): string {
  return count === 1 ? '1 event' : `${thousands(count)} events`;
}

function statisticsOf(stats: NameStats): NameStatistics {
  const { stopped, unstopped, unstarted, totalNs, selfNs, meanNs, durations } = stats;
  return {
    name: shortened(stats.name),
    stopped,
    unstopped,
    unstarted,
    totalNs,
    selfNs,
    meanNs,
    medianNs: durations.at(0.5),
    p95Ns: durations.at(0.95),
    p99Ns: durations.at(0.99),
    maxNs: durations.at(1),
  };
}
