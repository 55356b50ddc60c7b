/**
 * What a report shows of a trace, collected in one pass: its events and activities as columns, the names they share,
 * and sentences on what is missing. A report is for a browser, so its size is bounded.
 */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { ActivityStats, type NameStats } from '../activity-stats.ts';
import { isActivitySwitch } from '../cpu/activity-charges.ts';
import { type ChargedSample, ChargedSamples } from '../cpu/charged-samples.ts';
import { CpuProfile, isCpuSample } from '../cpu/cpu-profile.ts';
import { FrameNames } from '../cpu/frame-names.ts';
import { ExplainedActivities } from '../explain/explained-activities.ts';
import { thousands } from '../number-text.ts';
import type { ActivityChange, TraceActivities } from '../trace-activities.ts';
import { ActivityColumns } from './activity-columns.ts';
import { EventColumns } from './event-columns.ts';
import { shortened } from './interned.ts';
import type { ReportColumn } from './report-column.ts';
import { ReportFindings } from './report-explanations.ts';
import { COLUMN_NAMES, type ColumnName, type NameStatistics, type ReportHeader } from './report-header.ts';
import { ReportNames } from './report-names.ts';
import type { NamesInTrace, StackColumns } from './stack-columns.ts';

/** Facts about the trace that its events do not contain. */
export interface ReportedTrace extends NamesInTrace {
  readonly name: string;
  readonly format: string;
  readonly startTime: string | undefined;
  /** Sentences on what is missing from the trace. */
  readonly notices: readonly string[];
}

/** The page's input. */
export interface ReportContent {
  readonly header: ReportHeader;
  readonly columns: Readonly<Record<ColumnName, ReportColumn>>;
}

export interface ReportLimits {
  readonly events: number;
  readonly activities: number;
}

/** What a browser can still display smoothly. */
const LIMITS: ReportLimits = { events: 2_000_000, activities: 1_000_000 };

export class TraceReport {
  readonly #stats = new ActivityStats();
  readonly #findings = new ReportFindings();
  readonly #profile: CpuProfile;
  readonly #explained: ExplainedActivities;
  readonly #activities: TraceActivities;
  readonly #names: ReportNames;
  readonly #events: EventColumns;
  readonly #rows: ActivityColumns;
  readonly #charged: ChargedSamples<number | undefined>;
  readonly #limits: ReportLimits;
  #startNs: number | undefined;
  #eventCount = 0;
  #activityCount = 0;

  /** @param frames the names of functions */
  constructor(limits: ReportLimits = LIMITS, frames: FrameNames = new FrameNames()) {
    this.#limits = limits;
    this.#profile = new CpuProfile(frames);
    this.#explained = new ExplainedActivities({
      take: (time) => {
        this.#rows.explain(time.activity, time.label);
        this.#findings.add(time);
      },
      onClosed: (activity) => this.#rows.update(activity),
      onRun: (run) => this.#findings.addRun(run),
      profile: this.#profile,
      frames,
    });
    this.#activities = this.#explained.activities;
    this.#names = new ReportNames(this.#activities.keys);
    this.#rows = new ActivityColumns(this.#names);
    this.#events = new EventColumns(this.#names, frames);
    this.#charged = new ChargedSamples(this.#activities, frames, (sample) => this.#charge(sample));
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    const change = this.#explained.add(event);
    const isSample = isCpuSample(event);
    if (!isSample) this.#charged.addEvent(event);
    // There can be thousands a second, which say nothing that the samples do not show.
    if (isActivitySwitch(event)) return;
    this.#eventCount++;
    const { nowNs } = this.#activities;
    this.#startNs ??= nowNs;
    if (change !== undefined) this.#stats.add(change);
    const isNew = change !== undefined && isFirstSeen(change);
    if (isNew) this.#activityCount++;
    const isKept = isNew && this.#rows.count < this.#limits.activities;
    const activity = change?.activity ?? this.#activities.activityOf(event);
    const known = activity && this.#rows.numberOf(activity);
    // The number that the activity is going to have.
    const index = isKept ? this.#rows.count : known;
    const isWritten = this.#events.count < this.#limits.events;
    const number = isWritten ? this.#events.add(event, nowNs, index) : undefined;
    if (isSample) this.#charged.addSample(event, isWritten ? this.#events.lastSample : undefined);
    if (change === undefined || index === undefined) return;
    const isStart = change.boundary === 'Start';
    if (isKept) this.#rows.add(change.activity, this.#startNs, isStart ? number : undefined);
    if (isStart) return;
    this.#rows.update(change.activity, index);
    this.#rows.stop(index, number);
  }

  /** A sample of an idle thread only ends the one before it. */
  #charge({ subject, run, onCpu }: ChargedSample<number | undefined>): void {
    if (subject === undefined) return;
    const { stacks } = this.#events;
    stacks.weigh(subject, onCpu);
    // On a thread without switches, it keeps the activity of its own id.
    if (run !== undefined) stacks.charge(subject, run.activity && this.#rows.numberOf(run.activity));
  }

  /** The content of the report after all events. */
  content(trace: ReportedTrace): ReportContent {
    this.#charged.end();
    this.#explained.end();
    const startNs = this.#startNs ?? 0;
    for (const activity of this.#activities.open()) this.#rows.update(activity);
    const stacks = this.#events.stacks.merged(this.#names, trace);
    const columns = this.#columns(stacks);
    const sizes = COLUMN_NAMES.map((name) => [name, columns[name].length] as const);
    const header: ReportHeader = {
      name: shortened(trace.name),
      format: trace.format,
      startTime: trace.startTime,
      startNs,
      endNs: Math.max(startNs, this.#activities.nowNs),
      eventCount: this.#eventCount,
      activityCount: this.#activityCount,
      notices: [...trace.notices, ...this.#notices()],
      providers: this.#names.providers,
      kinds: this.#names.kinds.values,
      tasks: this.#names.tasks,
      threads: this.#names.threads(trace.processNames),
      frames: stacks.frames,
      tracks: this.#events.tracks.tracks,
      spanKinds: this.#events.tracks.kinds,
      shapes: this.#events.payloads.shapes,
      labels: this.#names.labels,
      explanations: this.#findings.explanations(
        this.#explained.recorded,
        {
          numberOf: (activity) => this.#rows.numberOf(activity),
          text: (text) => this.#names.name(text, MAX_SENTENCE_LENGTH),
        },
        (stack) => this.#profile.framesOf(stack, trace.mappings),
      ),
      statistics: this.#stats.names.slice(0, MAX_STATISTICS).map(statisticsOf),
      columnSizes: Object.fromEntries(sizes) as Record<ColumnName, number>,
    };
    return { header, columns };
  }

  #columns(stacks: ReturnType<StackColumns['merged']>): Record<ColumnName, ReportColumn> {
    const events = this.#events;
    const activities = this.#rows;
    return {
      eventTime: events.time,
      eventKind: events.kind,
      eventThread: events.thread,
      eventActivity: events.activity,
      eventId: events.id,
      eventRelatedId: events.relatedId,
      eventShape: events.payloads.shape,
      eventValuesSize: events.payloads.size,
      eventStack: events.stacks.ofEvent,
      activityStart: activities.start,
      activityDuration: activities.duration,
      activityCovered: activities.covered,
      activityState: activities.state,
      activityTask: activities.task,
      activityId: activities.id,
      activityParent: activities.parent,
      activityThread: activities.thread,
      activityLabel: activities.label,
      activityStartEvent: activities.startEvent,
      activityStopEvent: activities.stopEvent,
      sampleActivity: stacks.sampleActivity,
      sampleOnCpu: stacks.sampleOnCpu,
      nodeParent: stacks.nodeParent,
      nodeFrame: stacks.nodeFrame,
      stackNode: stacks.stackNode,
      pointTrack: events.tracks.track,
      pointTime: events.tracks.time,
      pointValue: events.tracks.value,
      pointKind: events.tracks.kind,
      idSize: this.#names.idSize,
      ids: this.#names.idTexts,
      values: events.payloads.values,
    };
  }

  #notices(): string[] {
    const { count, payloads, stacks, tracks } = this.#events;
    const notices: string[] = [];
    const say = (number: number, sentence: string) => {
      if (number > 0) notices.push(sentence);
    };
    say(
      this.#eventCount - count,
      `Only the first ${thousands(count)} of ${thousands(this.#eventCount)} events are in this report.`,
    );
    say(
      this.#activityCount - this.#rows.count,
      `Only the first ${thousands(this.#rows.count)} of ${thousands(this.#activityCount)} activities ` +
        'are in this report; the statistics include all.',
    );
    say(
      payloads.leftOut,
      `The payloads of ${eventsText(payloads.leftOut)} are omitted because of their size.`,
    );
    say(payloads.shortened, `Long values of ${eventsText(payloads.shortened)} are shortened.`);
    say(stacks.omitted, `The stacks of ${eventsText(stacks.omitted)} are omitted: there are too many.`);
    const others = [...this.#events.otherSamples].map((name) => shortened(name)).join(', ');
    say(
      others.length,
      `Samples of ${others} are only among the events: they count something else than the others.`,
    );
    say(tracks.omitted, `${thousands(tracks.omitted)} values of counters are omitted: there are too many.`);
    const names = this.#stats.names.length;
    say(
      names - MAX_STATISTICS,
      `Of ${thousands(names)} activity names, statistics cover the ${thousands(MAX_STATISTICS)} ` +
        'with the longest total duration.',
    );
    say(
      this.#activities.startsWithoutId,
      this.#activities.startsWithoutId === 1
        ? '1 start has no activity id, and is shown only as an event.'
        : `${thousands(this.#activities.startsWithoutId)} starts have no activity id, and are shown only as events.`,
    );
    return notices;
  }
}

const MAX_STATISTICS = 5000;
/** The length is in characters. Only names in hostile traces make longer sentences. */
const MAX_SENTENCE_LENGTH = 1000;

function isFirstSeen({ boundary, activity }: ActivityChange): boolean {
  return boundary === 'Start' || activity.state === 'unstarted';
}

function eventsText(count: number): string {
  return count === 1 ? '1 event' : `${thousands(count)} events`;
}

function statisticsOf(stats: NameStats): NameStatistics {
  const { stopped, failed, unstopped, unstarted, totalNs, selfNs, meanNs, durations } = stats;
  return {
    name: shortened(stats.name),
    stopped,
    failed,
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
