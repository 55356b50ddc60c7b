/**
 * Matches the starts and stops of a trace into activities, one event after the other. It retains only the open
 * activities and the most recently ended ones, however long the trace is.
 *
 * Activities of several processes are connected by their W3C ids: an activity is nested in the one that it names as its
 * parent.
 *
 * Source: "EventSource Activity Support", which also says how to handle activities whose stop is missing: when an
 * activity stops, those in it are assumed to have stopped, too.
 */

import { OPEN_ACTIVITY } from '../activity/activity.ts';
import { failingTask, isClientTask, saysFailure } from '../known/failures.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { type ActivityKey, ActivityKeys, keyAbove, otherKey } from './activity-key.ts';
import { type ActivityNaming, ActivityNamings, type Boundary, boundaryOf } from './event-names.ts';
import { hashOf } from './key-table.ts';
import { KnownActivities, KnownActivity } from './known-activities.ts';
import { type BridgedActivity, bridgedActivity, SPAN_FIELDS, type Span, spanKey, spanOf } from './spans.ts';
import { TracedActivity } from './traced-activity.ts';

/** The effect of an event. */
export interface ActivityChange {
  readonly boundary: Boundary;
  /** The activity of a stop without its start is `unstarted`. */
  readonly activity: TracedActivity;
}

/** Deeper ones become roots: an activity retains all its ancestors. .NET's own tracker stops at 100 levels. */
const MAX_DEPTH = 10_000;
/** The maximum length of the field that becomes part of a name, in characters. */
const MAX_EXTRA_LENGTH = 1000;
const NS_PER_MS = 1e6;

export class TraceActivities {
  /** Starts without an activity id: these are not activities, since nothing identifies their stops. */
  startsWithoutId = 0;
  /** The time of the last event, in nanoseconds since the trace's start. */
  nowNs = Number.NEGATIVE_INFINITY;
  readonly #known: KnownActivities;
  /** @internal */
  readonly keys: ActivityKeys = new ActivityKeys();
  readonly #namings = new ActivityNamings();
  #startCount = 0;

  /**
   * @param onClosed called with each activity that is no longer open: it has stopped or was killed, or, because its
   * stop must be missing, is waited for no longer
   */
  constructor(onClosed: (activity: TracedActivity) => void = () => {}) {
    this.#known = new KnownActivities(onClosed);
  }

  /** The activities that are currently open, in order of their starts. */
  *open(): Generator<TracedActivity, void, undefined> {
    yield* this.#known.open();
  }

  /** Forgets all but these numbers of open and of ended activities: the last ones. */
  retain({ open, ended }: { readonly open: number; readonly ended: number }): void {
    this.#known.retain(open, ended, this.nowNs);
  }

  /** Takes the next event in time order; undefined if it neither starts nor stops an activity. */
  add(event: TraceEvent): ActivityChange | undefined {
    this.nowNs = Math.max(this.nowNs, event.nsSinceStart);
    const boundary = boundaryOf(event);
    if (boundary === undefined) {
      this.#noteFailure(event);
      const activity = this.#startedBefore(event);
      return activity && { boundary: 'Start', activity };
    }
    const end = this.#endOf(event, boundary);
    if (end === undefined) {
      if (boundary === 'Start') this.startsWithoutId++;
      return undefined;
    }
    const activity = boundary === 'Start' ? this.#start(event, end) : this.#stop(event, end);
    return { boundary, activity };
  }

  /** The activity of an event, by id: the last open one, otherwise the last one that ended. */
  activityOf(event: TraceEvent): TracedActivity | undefined {
    return this.#activityOfKey(this.keys.ofEvent(event));
  }

  /** @internal The same for its related id. */
  relatedOf(event: TraceEvent): TracedActivity | undefined {
    return this.#activityOfKey(this.keys.relatedOf(event));
  }

  #activityOfKey(key: ActivityKey | undefined): TracedActivity | undefined {
    return key === undefined ? undefined : this.#known.ofKey(key.key, key.hash);
  }

  #start(event: TraceEvent, end: ActivityEnd, startNs = this.nowNs): TracedActivity {
    // Ids are unique: an activity still open under this one has lost its stop.
    const same = this.#known.openOfName(end.key, end.naming.name);
    if (same !== undefined) this.#known.giveUp(same, this.nowNs);
    const span = end.bridged === undefined ? spanOf(event) : end.bridged.span;
    const parent = this.#parentOf(event, end.key, span);
    const head = {
      index: this.#startCount++,
      naming: end.naming,
      id: end.id,
      span,
      processId: event.processId,
      extra: end.bridged === undefined ? tellingField(event) : displayName(end.bridged),
      startThreadId: event.threadId,
      startNs,
      state: 'open',
    } as const;
    const activity = new KnownActivity(head, parent, end.key);
    this.#known.start(activity, parent);
    return activity;
  }

  /** An activity that was open when the session began. Another session of the process may have told of it before. */
  #startedBefore(event: TraceEvent): TracedActivity | undefined {
    const { name, activityId, provider } = event;
    if (!name.endsWith(OPEN_ACTIVITY.suffix) || activityId === undefined) return undefined;
    const age = event.payload[OPEN_ACTIVITY.age];
    const key = this.keys.ofEvent(event);
    if (typeof age !== 'number' || !(age >= 0) || key === undefined) return undefined;
    const naming = this.#namings.of(provider, name.slice(0, -OPEN_ACTIVITY.suffix.length));
    if (this.#known.openOfName(key, naming.name) !== undefined) return undefined;
    const startNs = this.nowNs - Math.min(Math.round(age * NS_PER_MS), Number.MAX_SAFE_INTEGER);
    return this.#start(event, { key, id: key.id ?? key.text, naming, bridged: undefined }, startNs);
  }

  #stop(event: TraceEvent, end: ActivityEnd): TracedActivity {
    const activity = this.#stopped(end) ?? this.#unstarted(event, end);
    activity.endNs = this.nowNs;
    activity.stopThreadId = event.threadId;
    activity.isFailed ||=
      end.bridged?.isFailed ?? saysFailure(event.payload, isClientTask(event.provider, end.naming.task));
    return activity;
  }

  /** Some providers of .NET say so in an event of its own, before the stop. */
  #noteFailure(event: TraceEvent): void {
    const task = failingTask(event.provider, event.name);
    const key = task === undefined ? undefined : this.keys.ofEvent(event);
    if (task === undefined || key === undefined) return;
    const { name } = this.#namings.of(event.provider, task);
    const failing = this.#known.openOfName(key, name);
    if (failing !== undefined) failing.isFailed = true;
  }

  #stopped({ key, naming: { name } }: ActivityEnd): TracedActivity | undefined {
    const open = this.#known.openOfName(key, name);
    if (open !== undefined) {
      this.#known.stop(open, this.nowNs);
      return open;
    }
    // A killed activity that logs its id again was alive in a flow of its own.
    const ended = this.#known.ofKey(key.key, key.hash);
    if (ended?.state !== 'killed' || ended.name !== name) return undefined;
    ended.state = 'stopped';
    return ended;
  }

  #unstarted(event: TraceEvent, end: ActivityEnd): TracedActivity {
    const head = {
      index: -1,
      naming: end.naming,
      id: end.id,
      span: end.bridged?.span,
      processId: event.processId,
      extra: undefined,
      startThreadId: undefined,
      startNs: this.nowNs,
      state: 'unstarted',
    } as const;
    return new TracedActivity(head, this.#parentOf(event, end.key, head.span));
  }

  /** Returns undefined if nothing identifies the activity. */
  #endOf(event: TraceEvent, boundary: Boundary): ActivityEnd | undefined {
    const bridged = bridgedActivity(event);
    const byId = this.keys.ofEvent(event);
    const key =
      byId ?? (bridged && otherKey(spanKey(bridged.span.traceId, bridged.span.spanId), event.processId));
    if (key === undefined) return undefined;
    const id = byId?.id ?? bridged?.span.spanId ?? key.text;
    const naming =
      bridged === undefined
        ? this.#namings.ofEvent(event, boundary)
        : this.#namings.of(bridged.source, bridged.task);
    return { key, id, naming, bridged };
  }

  #parentOf(event: TraceEvent, key: ActivityKey, span: Span | undefined): KnownActivity | undefined {
    const remote = this.#spanAround(span);
    // Between it and a parent in its own process, there may be activities that do not cross processes: they are nearer.
    const isElsewhere = remote !== undefined && remote.processId !== event.processId;
    const parent = isElsewhere ? remote : (this.#causeOf(event, key) ?? remote);
    return parent !== undefined && parent.depth < MAX_DEPTH ? parent : undefined;
  }

  #spanAround(span: Span | undefined): KnownActivity | undefined {
    return span?.parentSpanId === undefined ? undefined : this.#known.ofSpan(span.traceId, span.parentSpanId);
  }

  /**
   * Finds the cause by the related id, otherwise by the id. If ids are not paths, it is otherwise the last one started
   * on the thread.
   */
  #causeOf(event: TraceEvent, key: ActivityKey): KnownActivity | undefined {
    const related = this.keys.relatedOf(event);
    if (related !== undefined && related.key !== key.key && related.text !== key.text) {
      const cause = this.#known.ofKey(related.key, related.hash);
      if (cause !== undefined) return cause;
    }
    const sameId = this.#known.openOfKey(key.key, key.hash);
    if (sameId !== undefined) return sameId;
    if (!key.isPath) return this.#known.openOnThread(event.processId, event.threadId);
    for (let above = keyAbove(key.key); above !== undefined; above = keyAbove(above)) {
      const ancestor = this.#known.ofKey(above, hashOf(above));
      if (ancestor !== undefined) return ancestor;
    }
    return undefined;
  }
}

/** What a start or a stop says about its activity. */
interface ActivityEnd {
  readonly key: ActivityKey;
  readonly id: string;
  readonly naming: ActivityNaming;
  readonly bridged: BridgedActivity | undefined;
}

function displayName({ displayName: name }: BridgedActivity): string | undefined {
  return name && `/DisplayName=${name.slice(0, MAX_EXTRA_LENGTH)}`;
}

/**
 * The field of a start that is most likely to identify it: the first string, as in PerfView, otherwise the first number
 * or boolean. This decodes the payload.
 */
function tellingField({ payload }: TraceEvent): string | undefined {
  let other: string | undefined;
  for (const name in payload) {
    const value = payload[name];
    if (SPAN_FIELDS.has(name)) continue;
    if (typeof value === 'string') return `/${name}=${value.slice(0, MAX_EXTRA_LENGTH)}`;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
      other ??= `/${name}=${value}`;
    }
  }
  return other;
}
