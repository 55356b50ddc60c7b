/**
 * Lays out activities in lanes, so that they nest within each lane, which is what viewers of call stacks can show. An
 * activity goes into the lane of its parent, unless something else is running there; then it goes into the first free
 * lane of its process.
 */
import { ActivityNotes, type TracedActivity } from '../view/traced-activity.ts';

export interface Lane {
  /** Counts all lanes from 0. */
  readonly index: number;
  /** Counts the lanes of the process from 1. */
  readonly number: number;
  readonly processId: number | undefined;
}

interface Placement {
  readonly lane: Lane;
  /** Where the activity that started it runs or ran, unless that is directly below it in the same lane. */
  readonly cause: Cause | undefined;
}

export interface Cause {
  readonly lane: Lane;
  readonly activity: TracedActivity;
  /** Whether nothing runs above it. */
  readonly isOnTop: boolean;
}

interface OpenLane extends Lane {
  readonly stack: Place[];
}

interface Place {
  readonly activity: TracedActivity;
  readonly lane: OpenLane;
  /** See `nameKey`. */
  readonly key: string;
  /** The activities that it started in other lanes, while it runs. */
  elsewhere: Set<Place> | undefined;
  readonly around: Place | undefined;
}

/** TraceActivities tracks as many at a time. */
const MAX_OPEN = 1 << 17;

export class ActivityLanes {
  /** Every lane there has been. */
  readonly lanes: Lane[] = [];
  readonly #free = new Map<number | undefined, OpenLane[]>();
  readonly #counts = new Map<number | undefined, number>();
  /** The keys are the activities' indexes: objects as keys would need hashes. */
  readonly #open = new Map<number, Place>();
  readonly #byName = new Map<string, Place>();
  /** The lanes of activities that have ended stay known. */
  readonly #laneOf = new ActivityNotes<OpenLane>();

  /** The lane of a running activity. */
  laneOf(activity: TracedActivity): Lane | undefined {
    return this.#open.get(activity.index)?.lane;
  }

  /** Where it ran last, if it has ended. */
  lastLaneOf(activity: TracedActivity): Lane | undefined {
    return this.#laneOf.get(activity);
  }

  /** The activities that a new one replaces: it has their id and name, so their own stops are lost. */
  lostBy(activity: TracedActivity): readonly TracedActivity[] {
    const place = this.#byName.get(nameKey(activity));
    if (place === undefined || (place.elsewhere?.size ?? 0) > 0 || place.lane.stack.at(-1) !== place)
      return [];
    return this.close(place.activity);
  }

  /** Returns undefined if too many are already running. */
  open(activity: TracedActivity): Placement | undefined {
    if (this.#open.size >= MAX_OPEN) return undefined;
    const { parent, processId } = activity;
    const around = parent && this.#open.get(parent.index);
    const isNested = around !== undefined && around.lane.stack.at(-1) === around;
    const nests = isNested && around.lane.processId === processId;
    const lane = nests ? around.lane : this.#freeLane(processId);
    // Activities of another process do not end with it.
    const endsWith = nests || around?.lane.processId !== processId ? undefined : around;
    const key = nameKey(activity);
    const place: Place = { activity, lane, key, elsewhere: undefined, around: endsWith };
    lane.stack.push(place);
    if (endsWith !== undefined) {
      endsWith.elsewhere ??= new Set();
      endsWith.elsewhere.add(place);
    }
    this.#open.set(activity.index, place);
    this.#byName.set(key, place);
    this.#laneOf.set(activity, lane);
    return { lane, cause: parent === undefined || nests ? undefined : this.#causeOf(parent, isNested) };
  }

  /** Ends an activity and everything in it. @returns the ended ones, innermost first */
  close(activity: TracedActivity): readonly TracedActivity[] {
    const place = this.#open.get(activity.index);
    const closed: TracedActivity[] = [];
    if (place === undefined) return closed;
    // At any depth: the first found ends last.
    const found: Place[] = [];
    const left = [place];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const { stack } = next.lane;
      for (const above of stack.splice(stack.indexOf(next))) {
        found.push(above);
        if (above.elsewhere !== undefined) left.push(...above.elsewhere);
      }
    }
    place.around?.elsewhere?.delete(place);
    for (const ended of found.reverse()) {
      closed.push(ended.activity);
      this.#open.delete(ended.activity.index);
      if (this.#byName.get(ended.key) === ended) this.#byName.delete(ended.key);
      if (ended.lane.stack.length === 0) this.#release(ended.lane);
    }
    return closed;
  }

  /** Ends everything still running. @returns the ended ones, innermost first */
  closeAll(): readonly TracedActivity[] {
    return Array.from(this.#open.values()).flatMap(({ activity }) => this.close(activity));
  }

  #causeOf(activity: TracedActivity, isOnTop: boolean): Cause | undefined {
    const lane = this.#laneOf.get(activity);
    return lane && { lane, activity, isOnTop };
  }

  #freeLane(processId: number | undefined): OpenLane {
    const free = this.#free.get(processId)?.pop();
    if (free !== undefined) return free;
    const number = (this.#counts.get(processId) ?? 0) + 1;
    this.#counts.set(processId, number);
    const lane: OpenLane = { index: this.lanes.length, number, processId, stack: [] };
    this.lanes.push(lane);
    return lane;
  }

  /** Lower lanes are reused first. */
  #release(lane: OpenLane): void {
    let free = this.#free.get(lane.processId);
    if (free === undefined) {
      free = [];
      this.#free.set(lane.processId, free);
    }
    if (free.includes(lane)) return;
    const at = free.findIndex(({ number }) => number < lane.number);
    free.splice(at < 0 ? free.length : at, 0, lane);
  }
}

function nameKey({ name, id, processId }: TracedActivity): string {
  return `${processId ?? ''} ${id} ${name}`;
}
