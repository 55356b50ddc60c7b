/**
 * Drives an export that shows a timeline: activities as spans in lanes, with an arrow from what started them, and all
 * other events as instants.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import { TraceActivities } from '../view/trace-activities.ts';
import type { TracedActivity } from '../view/traced-activity.ts';
import { ActivityLanes, type Cause, type Lane } from './activity-lanes.ts';

/** How a format writes what the timeline has; times are nanoseconds since the start of the trace. */
export interface TimelineWriter {
  begin(event: TraceEvent, activity: TracedActivity, lane: Lane, arrow: Arrow | undefined): void;
  /** @param stop the event that ends it, or why it ends without one */
  stop(activity: TracedActivity, lane: Lane, atNs: number, stop: TraceEvent | string): void;
  /** @param lane of its activity, while that runs */
  instant(event: TraceEvent, lane: Lane | undefined, atNs: number): void;
}

/** Leads to an activity from the one that started it, unless that is directly below it in the same lane. */
export interface Arrow {
  readonly lane: Lane;
  readonly fromNs: number;
}

/** Why an activity ends whose stop is missing. */
const NO_STOP = 'not in the trace';

export class ActivityTimeline {
  readonly #writer: TimelineWriter;
  readonly #activities = new TraceActivities();
  readonly #lanes = new ActivityLanes();
  #unplaced = 0;

  constructor(writer: TimelineWriter) {
    this.#writer = writer;
  }

  /** Every lane there has been. */
  get lanes(): readonly Lane[] {
    return this.#lanes.lanes;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    const change = this.#activities.add(event);
    const isWritten =
      change !== undefined &&
      (change.boundary === 'Start'
        ? this.#start(event, change.activity)
        : this.#stop(event, change.activity));
    if (isWritten) return;
    const activity = this.#activities.activityOf(event);
    this.#writer.instant(event, activity && this.#lanes.laneOf(activity), this.#activities.nowNs);
  }

  /** Ends what still runs. @returns a sentence on what the timeline lacks */
  end(): string | undefined {
    for (const open of this.#lanes.closeAll()) this.#end(open, NO_STOP);
    if (this.#unplaced === 0) return undefined;
    return `${this.#unplaced} activities are shown without their duration: too many overlap.`;
  }

  #start(event: TraceEvent, activity: TracedActivity): boolean {
    for (const lost of this.#lanes.lostBy(activity)) this.#end(lost, NO_STOP);
    const placement = this.#lanes.open(activity);
    if (placement === undefined) {
      this.#unplaced++;
      return false;
    }
    const { lane, cause } = placement;
    this.#writer.begin(event, activity, lane, cause && arrowFrom(cause, activity));
    return true;
  }

  #stop(event: TraceEvent, activity: TracedActivity): boolean {
    const closed = this.#lanes.close(activity);
    for (const ended of closed) this.#end(ended, ended === activity ? event : `with ${activity.task}`);
    return closed.length > 0;
  }

  #end(activity: TracedActivity, stop: TraceEvent | string): void {
    this.#writer.stop(activity, this.#lanes.lastLaneOf(activity) as Lane, this.#activities.nowNs, stop);
  }
}

/**
 * The arrow leaves the cause when the activity starts, if the cause is visible then; otherwise at the cause's own start,
 * where it always is.
 */
function arrowFrom({ lane, activity, isOnTop }: Cause, { startNs }: TracedActivity): Arrow {
  return { lane, fromNs: isOnTop ? startNs : activity.startNs };
}
