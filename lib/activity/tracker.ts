/**
 * The rules by which activities start and stop: .NET 10's ActivityTracker as pure functions.
 *
 * Nothing here knows how the current activity flows through asynchronous code: each call takes the context it runs in,
 * and each change returns the context to continue with. Paths and counters are as in .NET, so a trace reads like one of
 * a .NET process. Source: "EventSource Activity Support", "How EventSource Activity Tracking Works", and .NET 10's
 * ActivityTracker.
 */
import {
  Activity,
  type ActivityContext,
  ActivityOptions,
  type ActivityStart,
  ManualIdContext,
} from './activity.ts';
import { Guid } from './guid.ts';
import { PATH_NIBBLES } from './path-layout.ts';
import { appendNumber, appendOverflowNumber, endAfterNumber, endAfterOverflowNumber } from './path-writer.ts';

/** No further activity is started inside one at this level. */
const LEVEL_LIMIT = 100;
/** The last position at which .NET tries to write an overflow number: the low half of byte 10. */
const LAST_OVERFLOW_START = 21;
/** More open activities are not listed, but the latest: stops may be missing. */
const MAX_LISTED = 10_000;

export class ActivityTracker {
  /** The process id in each id's checksum, unless a start specifies another. */
  readonly processId: number;
  /** The last number given to a top-level activity; wraps after 2^32 - 1. */
  lastTopLevelNumber = 0;
  readonly #threadPath: Guid;
  readonly #threadPathEnd: number;
  /** The list goes through the activities themselves: a Set would cost ten times as much. */
  #oldest: Activity | undefined;
  #newest: Activity | undefined;
  #listed = 0;

  /**
   * `threadNumber` (u32) is the first number of every path: 1 for the main thread, another for each other thread of the
   * process, like AppDomain ids in .NET. A thread must have only one tracker, or its ids are not unique.
   */
  constructor(threadNumber: number, processId: number) {
    this.processId = processId;
    this.#threadPath = appendNumber(Guid.empty, 0, threadNumber, processId);
    this.#threadPathEnd = endAfterNumber(0, threadNumber);
  }

  /**
   * Starts an activity in `context`: the result is the context to continue with, and holds the start event's id and
   * related id. Undefined if activities are nested too deeply: then nothing has changed, and the event is an ordinary
   * one.
   *
   * `name` is an activityName. Unless `options` (ActivityOptions flags) include Recursive, an activity of the same name
   * that is still running in `context` is stopped first, with everything started in it, because its stop was most
   * likely missed. `processId` is for the checksum of this id alone; 0 writes the 2016 form.
   */
  start(
    context: ActivityContext | undefined,
    name: string,
    options: number,
    processId: number = this.processId,
  ): Activity | undefined {
    const current = context?.activity;
    if (current !== undefined && current.level >= LEVEL_LIMIT) return undefined;
    let before = context;
    if ((options & ActivityOptions.Recursive) === 0) {
      const running = this.find(context, name);
      if (running !== undefined) before = this.stop(context, running);
    }
    const relatedActivityId = this.currentActivityId(before);
    const creator = before?.activity;
    if (creator === undefined) {
      this.lastTopLevelNumber = (this.lastTopLevelNumber + 1) >>> 0;
      const end = endAfterNumber(this.#threadPathEnd, this.lastTopLevelNumber);
      const id = appendNumber(this.#threadPath, this.#threadPathEnd, this.lastTopLevelNumber, processId);
      return new Activity(name, options, id, relatedActivityId, end, before);
    }
    const number = nextChildNumber(creator);
    const end = endAfterNumber(creator.pathEnd, number);
    const id =
      end <= PATH_NIBBLES
        ? appendNumber(creator.id, creator.pathEnd, number, processId)
        : this.#overflowId(creator, processId);
    return new Activity(name, options, id, relatedActivityId, end, before);
  }

  /** Lists an activity until it stops. */
  list(activity: Activity, start: ActivityStart): void {
    const newest = this.#newest;
    activity.start = start;
    activity.older = newest;
    this.#newest = activity;
    if (newest === undefined) this.#oldest = activity;
    else newest.newer = activity;
    if (++this.#listed > MAX_LISTED) this.#unlist(this.#oldest as Activity);
  }

  /** The activities that have started and not stopped, oldest first. */
  open(): Activity[] {
    const open: Activity[] = [];
    for (let each = this.#oldest; each !== undefined; each = each.newer) open.push(each);
    return open;
  }

  #unlist(activity: Activity): void {
    const { older, newer } = activity;
    if (activity.start === undefined) return;
    activity.start = activity.older = activity.newer = undefined;
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
    this.#listed--;
  }

  #end(activity: Activity): void {
    activity.stopped = true;
    this.#unlist(activity);
  }

  /**
   * The innermost running activity of this name in `context`: the one that a stop event of that name stops, and whose
   * id it carries. Undefined if the stop has no start: it stops nothing and is an ordinary event.
   */
  find(context: ActivityContext | undefined, name: string): Activity | undefined {
    let activity = context?.activity;
    while (activity !== undefined && (activity.stopped || activity.name !== name))
      activity = activity.creator;
    return activity;
  }

  /**
   * Stops `activity` and returns the context to continue with.
   *
   * Everything started inside it in `context` and still running is stopped with it, except Detachable activities: the
   * innermost of these then becomes current. If `activity` is not in `context`, as when a handle elsewhere stops it,
   * only it is stopped and `context` is unchanged. Stopping twice has no effect.
   */
  stop(context: ActivityContext | undefined, activity: Activity): ActivityContext | undefined {
    if (activity.stopped) return context;
    this.#end(activity);
    const current = context?.activity;
    if (current === undefined || !isWithin(current, activity)) return context;
    const next = this.#stopOrphans(current, activity) ?? activity.creator;
    if (next === current) return context;
    // An explicit id is restored only if the stop undoes the start that replaced it (.NET: idToRestore).
    const manualId = next === current.creator ? current.manualIdBefore : undefined;
    if (manualId === undefined || next?.id.equals(manualId)) return next;
    return new ManualIdContext(next, manualId);
  }

  /** The id that events in `context` carry: the explicit one, otherwise that of the innermost running activity. */
  currentActivityId(context: ActivityContext | undefined): Guid | undefined {
    const manualId = context?.manualId;
    if (manualId !== undefined) return manualId.isEmpty ? undefined : manualId;
    let activity = context?.activity;
    while (activity?.stopped) activity = activity.creator;
    return activity?.id;
  }

  /**
   * `context` with an explicit current id (.NET: SetCurrentThreadActivityId); an empty one means no id. It applies
   * until the next start or stop; a start takes it as its related id, and the stop restores it.
   */
  setActivityId(context: ActivityContext | undefined, id: Guid): ActivityContext {
    return new ManualIdContext(context?.activity, id);
  }

  /**
   * Stops everything still running from `inner` up to `outer`, except Detachable activities, and returns the innermost
   * of these.
   */
  #stopOrphans(inner: Activity, outer: Activity): Activity | undefined {
    let survivor: Activity | undefined;
    let orphan: Activity | undefined = inner;
    while (orphan !== undefined && orphan !== outer) {
      if (!orphan.stopped) {
        if ((orphan.options & ActivityOptions.Detachable) === 0) this.#end(orphan);
        else survivor ??= orphan;
      }
      orphan = orphan.creator;
    }
    return survivor;
  }

  /** An id for a child of `creator` whose path does not fit: unique, under the nearest ancestor with room. */
  #overflowId(creator: Activity, processId: number): Guid {
    let ancestor: Activity | undefined = creator;
    while (ancestor !== undefined) {
      if (ancestor.pathEnd <= LAST_OVERFLOW_START) {
        const number = nextChildNumber(ancestor);
        if (endAfterOverflowNumber(ancestor.pathEnd, number) <= PATH_NIBBLES) {
          return appendOverflowNumber(ancestor.id, ancestor.pathEnd, number, processId);
        }
      }
      ancestor = ancestor.creator;
    }
    // Only if the thread and top-level numbers are so large that together they fill the id.
    return creator.id;
  }
}

function nextChildNumber(activity: Activity): number {
  activity.lastChildNumber = (activity.lastChildNumber + 1) >>> 0;
  return activity.lastChildNumber;
}

function isWithin(inner: Activity, outer: Activity): boolean {
  let activity: Activity | undefined = inner;
  while (activity !== undefined && activity !== outer) activity = activity.creator;
  return activity === outer;
}
