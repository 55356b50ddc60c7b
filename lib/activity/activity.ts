/**
 * An activity between its start and its stop, and the value that says which one code runs in.
 */
import type { Guid } from './guid.ts';
import type { TraceContext } from './trace-context.ts';

/** How an activity behaves; flags, with .NET's EventActivityOptions' names and values. */
export const ActivityOptions = {
  None: 0,
  /** The event starts and stops nothing. For the caller to heed: the tracker is not told of such events. */
  Disable: 2,
  /** The activity may be started inside one of the same name, which otherwise stops the outer one. */
  Recursive: 4,
  /** The activity outlives the stop of one that it was started in. */
  Detachable: 8,
} as const;

/**
 * Which activity code runs in: the value that flows with it. An immutable value; where nothing was started or
 * set it is `undefined`. An Activity is the context of what runs directly in it.
 */
export interface ActivityContext {
  /** The innermost activity, which may have been stopped since. */
  readonly activity: Activity | undefined;
  /** An id set by hand, which stands in for the activity's own; empty: no id. */
  readonly manualId: Guid | undefined;
  /** The trace of several processes that it belongs to, where that is not the one of the activity's creator. */
  readonly trace: TraceContext | undefined;
}

/** One activity. The tracker makes and changes it; others read it. */
export class Activity implements ActivityContext {
  /** What starts and stops are matched by: see activityName. */
  readonly name: string;
  /** ActivityOptions flags of its start. */
  readonly options: number;
  /** The activity's id, an activity path: what its start and stop and the events between them carry. */
  readonly id: Guid;
  /** The id that was current just before the start: what the start event carries as its related id. */
  readonly relatedActivityId: Guid | undefined;
  /** The activity it was started in. */
  readonly creator: Activity | undefined;
  /** 0 for a top-level activity, one more for each level below. */
  readonly level: number;
  /** Where the path in `id` ends, in nibbles; past PATH_NIBBLES once the path has overflowed. */
  readonly pathEnd: number;
  /** The id set by hand that was current at the start, and is again after the stop. */
  readonly manualIdBefore: Guid | undefined;
  /** Set where it crosses from or to another process, and on an outermost one. */
  trace: TraceContext | undefined;
  /** The last number given to a child. */
  lastChildNumber = 0;
  stopped = false;

  constructor(
    name: string,
    options: number,
    id: Guid,
    relatedActivityId: Guid | undefined,
    pathEnd: number,
    context: ActivityContext | undefined,
  ) {
    this.name = name;
    this.options = options;
    this.id = id;
    this.relatedActivityId = relatedActivityId;
    this.pathEnd = pathEnd;
    const creator = context?.activity;
    this.creator = creator;
    this.level = creator === undefined ? 0 : creator.level + 1;
    this.manualIdBefore = context?.manualId;
    this.trace = creator === undefined ? context?.trace : undefined;
  }

  get activity(): Activity {
    return this;
  }

  get manualId(): undefined {
    return undefined;
  }
}

/** The context of an activity in which an id was set by hand. */
export class ManualIdContext implements ActivityContext {
  readonly activity: Activity | undefined;
  readonly manualId: Guid;

  constructor(activity: Activity | undefined, manualId: Guid) {
    this.activity = activity;
    this.manualId = manualId;
  }

  get trace(): undefined {
    return undefined;
  }
}

/**
 * The name that an event's start or stop is matched by: the provider's name and the event's without its "Start"
 * or "Stop" (case matters). An event with neither suffix goes by its task number when it has one, so that
 * `Begin` and `End` of one task are a pair. Source: .NET's ActivityTracker.
 */
export function activityName(provider: string, eventName: string, task = 0): string {
  if (eventName.endsWith('Start')) return provider + eventName.slice(0, -'Start'.length);
  if (eventName.endsWith('Stop')) return provider + eventName.slice(0, -'Stop'.length);
  return task === 0 ? provider + eventName : `${provider}task${task}`;
}
