/**
 * Puts the starts and stops of a trace together to activities, one event after the other. What it keeps are the
 * open activities and the last ones that ended, however long the trace is.
 *
 * Source: "EventSource Activity Support", which also says what an analysis is to do with activities whose stop is
 * missing: when an activity stops, those in it are taken to have stopped too.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { type ActivityKey, activityKey, keysAbove, keyText } from './activity-key.ts';
import { type Boundary, boundaryOf, taskOf } from './event-names.ts';
import { KnownActivities, type KnownActivity } from './known-activities.ts';
import { TracedActivity } from './traced-activity.ts';

/** What an event has done. */
export interface ActivityChange {
  readonly boundary: Boundary;
  /** Of a stop without its start, one that is `unstarted`. */
  readonly activity: TracedActivity;
}

/** Deeper ones are put at the top: who keeps one keeps all around it. .NET's own tracker ends at 100 levels. */
const MAX_DEPTH = 10_000;
/** Of the text that becomes part of a name, in characters. */
const MAX_EXTRA_LENGTH = 1000;

export class TraceActivities {
  /** Starts without an activity id: no activities, since nothing tells which stop is theirs. */
  startsWithoutId = 0;
  /** The time of the last event, in nanoseconds since the trace's start. */
  nowNs = Number.NEGATIVE_INFINITY;
  readonly #known = new KnownActivities();
  #startCount = 0;

  /** Takes the next event in the order of time; undefined where it neither starts nor stops an activity. */
  add(event: TraceEvent): ActivityChange | undefined {
    this.nowNs = Math.max(this.nowNs, Number(event.timeSinceStart));
    const boundary = boundaryOf(event);
    if (boundary === undefined) return undefined;
    const key = activityKey(event.activityId, event.processId);
    if (key === undefined) {
      if (boundary === 'Start') this.startsWithoutId++;
      return undefined;
    }
    const activity = boundary === 'Start' ? this.#start(event, key) : this.#stop(event, key);
    return { boundary, activity };
  }

  /** The activity that an event belongs to, by its id: the last open one, else the last one that has ended. */
  activityOf(event: TraceEvent): TracedActivity | undefined {
    const key = activityKey(event.activityId, event.processId);
    return key === undefined ? undefined : this.#known.ofKey(keyText(key))?.activity;
  }

  #start(event: TraceEvent, key: ActivityKey): TracedActivity {
    const started = this.#headOf(event, 'Start');
    // Ids are unique: what is still open under this one has lost its stop.
    const same = this.#known.openOfName(keyText(key), nameOf(started));
    if (same !== undefined) this.#known.giveUp(same, this.nowNs);
    const parent = this.#parentOf(event, key);
    const head = {
      ...started,
      index: this.#startCount++,
      extra: tellingField(event),
      startThreadId: event.threadId,
      state: 'open',
    } as const;
    const activity = new TracedActivity(head, parent?.activity);
    this.#known.start(activity, keyText(key), parent);
    return activity;
  }

  #stop(event: TraceEvent, key: ActivityKey): TracedActivity {
    const activity = this.#stopped(event, keyText(key)) ?? this.#unstarted(event, key);
    activity.endNs = this.nowNs;
    activity.stopThreadId = event.threadId;
    return activity;
  }

  #stopped(event: TraceEvent, key: string): TracedActivity | undefined {
    const name = nameOf({ provider: event.provider, task: taskOf(event, 'Stop') });
    const open = this.#known.openOfName(key, name);
    if (open !== undefined) {
      this.#known.stop(open, this.nowNs);
      return open.activity;
    }
    // What was killed never logs its id again: this one has lived on in a flow of its own.
    const ended = this.#known.ofKey(key)?.activity;
    if (ended?.state !== 'killed' || ended.name !== name) return undefined;
    ended.state = 'stopped';
    return ended;
  }

  #unstarted(event: TraceEvent, key: ActivityKey): TracedActivity {
    const head = {
      ...this.#headOf(event, 'Stop'),
      index: -1,
      extra: undefined,
      startThreadId: undefined,
      state: 'unstarted',
    } as const;
    return new TracedActivity(head, this.#parentOf(event, key)?.activity);
  }

  #headOf(event: TraceEvent, boundary: Boundary) {
    return {
      provider: event.provider,
      task: taskOf(event, boundary),
      id: event.activityId as string,
      processId: event.processId,
      startNs: this.nowNs,
    };
  }

  #parentOf(event: TraceEvent, key: ActivityKey): KnownActivity | undefined {
    const parent = this.#causeOf(event, key);
    return parent !== undefined && parent.activity.depth < MAX_DEPTH ? parent : undefined;
  }

  /** By the related id, else by the id. Of ids that are no paths, else what was last started on the thread. */
  #causeOf(event: TraceEvent, key: ActivityKey): KnownActivity | undefined {
    const related = activityKey(event.relatedActivityId, event.processId);
    if (related !== undefined && related.text !== key.text) {
      const cause = this.#known.ofKey(keyText(related));
      if (cause !== undefined) return cause;
    }
    const sameId = this.#known.openOfKey(keyText(key));
    if (sameId !== undefined) return sameId;
    if (!key.isPath) return this.#known.openOnThread(event.processId, event.threadId);
    for (const above of keysAbove(key)) {
      const ancestor = this.#known.ofKey(keyText(above));
      if (ancestor !== undefined) return ancestor;
    }
    return undefined;
  }
}

function nameOf({ provider, task }: { readonly provider: string; readonly task: string }): string {
  return `${provider}/${task}`;
}

/**
 * The field of a start that tells most often which one it is: the first text, as PerfView has it, else the first
 * number or boolean. The payload is decoded for it.
 */
function tellingField({ payload }: TraceEvent): string | undefined {
  let other: string | undefined;
  for (const [name, value] of Object.entries(payload)) {
    if (typeof value === 'string') return `/${name}=${value.slice(0, MAX_EXTRA_LENGTH)}`;
    if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
      other ??= `/${name}=${value}`;
    }
  }
  return other;
}
