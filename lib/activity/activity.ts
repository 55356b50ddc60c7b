/** An activity between its start and its stop, and the context value that says which one code runs in. */
import type { Guid } from './guid.ts';
import type { TraceContext } from './trace-context.ts';

/** How an activity behaves: flags with the names and values of .NET's EventActivityOptions. */
export const ActivityOptions = {
  None: 0,
  /** The event starts and stops nothing. The caller must check this; such events do not reach the tracker. */
  Disable: 2,
  /** The activity may be nested in one of the same name; otherwise, starting it stops the outer one. */
  Recursive: 4,
  /** The activity may outlive the one in which it was started. */
  Detachable: 8,
} as const;

/**
 * The activity in which code runs: the value that flows with it. It is immutable, and `undefined` if nothing was
 * started or set. An Activity is the context of the code directly inside it.
 */
export interface ActivityContext {
  /** The innermost activity, which may have stopped since. */
  readonly activity: Activity | undefined;
  /** An id set explicitly, which replaces the activity's own; empty for no id. */
  readonly manualId: Guid | undefined;
  /** The trace across processes to which it belongs, if that differs from the creator's. */
  readonly trace: TraceContext | undefined;
}

/** The event by which a session that begins is told of an open activity: `RequestDCStart`. */
export const OPEN_ACTIVITY = { suffix: 'DCStart', opcode: 3, age: 'startedAgoMSec' } as const;

/** What is kept of the start of an activity while it is open. */
export interface ActivityStart {
  /** Nanoseconds since 1970. */
  readonly time: bigint;
  readonly starter: ActivityStarter;
  /** The payload of its Start event, or what creates it. */
  readonly payload: unknown;
  /** The resource of Node.js that stands for the activity, such as a response. */
  readonly resource: object | undefined;
}

/** Whoever has started an activity can tell others of it. */
export interface ActivityStarter {
  readonly provider: string;
  /** The name of the activity: `Request`. */
  readonly task: string;
  /** Tells a subscriber that wants the Start event of an activity that is open. */
  tellOpen(activity: Activity, start: ActivityStart, subscriber: object): void;
}

/** One activity. The tracker creates and changes it; others only read it. */
export class Activity implements ActivityContext {
  /** Matches a start with its stop: see activityName. */
  readonly name: string;
  /** The ActivityOptions flags of its start. */
  readonly options: number;
  /** The activity's id, an activity path, carried by its start, its stop and the events in between. */
  readonly id: Guid;
  /** The current id just before the start, which the start event carries as its related id. */
  readonly relatedActivityId: Guid | undefined;
  /** The activity in which it was started. */
  readonly creator: Activity | undefined;
  /** 0 for a top-level activity, one more for each level below. */
  readonly level: number;
  /** Where the path in `id` ends, in nibbles; beyond PATH_NIBBLES once the path has overflowed. */
  readonly pathEnd: number;
  /** The explicit id that was current at the start, and is again after the stop. */
  readonly manualIdBefore: Guid | undefined;
  /** An outermost activity has one, and each that crosses process boundaries, once somebody has asked: see `giveTrace`. */
  trace: TraceContext | undefined;
  /** Whether it crosses process boundaries, and nobody has asked for its place in its trace so far. */
  awaitsTrace = false;
  /** The route of a request; undefined for other activities. Not in a WeakMap, which takes a request 0.8 µs. */
  route: string | undefined = undefined;
  /** The last number given to a child. */
  lastChildNumber = 0;
  stopped = false;
  /** Present while it is listed as open: see `ActivityTracker.open`. */
  start: ActivityStart | undefined = undefined;
  older: Activity | undefined = undefined;
  newer: Activity | undefined = undefined;

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

/** The context of an activity in which an id was set explicitly. */
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
 * The name by which starts and stops are matched: the provider's name and the event's, without its "Start" or "Stop"
 * (case-sensitive). An event with neither suffix uses its task number, if it has one, so that `Begin` and `End` of one
 * task are a pair. Source: .NET's ActivityTracker.
 */
export function activityName(provider: string, eventName: string, task = 0): string {
  if (eventName.endsWith('Start')) return provider + eventName.slice(0, -'Start'.length);
  if (eventName.endsWith('Stop')) return provider + eventName.slice(0, -'Stop'.length);
  return task === 0 ? provider + eventName : `${provider}task${task}`;
}

/**
 * Treats loops that perpetuate themselves: a timer or callback, set inside an activity, starts the same activity again
 * after it has ended. .NET's rules nest an activity even in an ended one that caused it, so each iteration would be
 * nested in the last: deeper with every tick, until no ids are left at level 100. Such loops are common in JavaScript,
 * so each iteration becomes a sibling of the last: `//1/1`, `//1/2`, ...
 *
 * @returns the context in which to start an activity of this name: `context`, unless that is an ended activity of the
 *   same name, with only ended ones in between; then the one in which that activity was started
 */
export function afterFinishedLoop(
  context: ActivityContext | undefined,
  name: string,
): ActivityContext | undefined {
  if (context === undefined || context.manualId !== undefined) return context;
  let activity = context.activity;
  while (activity?.stopped) {
    if (activity.name === name) return activity.creator;
    activity = activity.creator;
  }
  return context;
}
