/**
 * Start and Stop: how writing an event starts and stops activities, and the handle and the scope through which
 * applications control them.
 */
import { types } from 'node:util';
import {
  type Activity,
  type ActivityContext,
  ActivityOptions,
  type ActivityStart,
  type ActivityStarter,
  afterFinishedLoop,
  OPEN_ACTIVITY,
} from '../activity/activity.ts';
import { giveTrace } from '../activity/crossing.ts';
import type { ActivityFlow } from '../activity/flow.ts';
import type { SharedActivities } from '../activity/shared.ts';
import type { TraceContext } from '../activity/trace-context.ts';
import type { ActivityTracker } from '../activity/tracker.ts';
import type { Subscriber } from '../listen/audience.ts';
import { msSince, timestamp } from '../listen/timestamp.ts';
import type { EnabledWord } from '../platform/tracer.ts';
import type { EventSchema } from '../wire/schema.ts';
import type { Payload } from '../wire/values/faults.ts';
import { type EventWriter, givesIds, type WriteOptions } from './event-writer.ts';
import { type LazyPayload, payloadOf } from './lazy-payload.ts';
import { OutcomePayloads } from './outcome-fields.ts';
import { type ActivityParent, runInActivity } from './run-in-activity.ts';
import { type ObservedWork, type Outcome, runStepsOf, whenEnded } from './work-result.ts';

/** A started activity: the result of a Start event. */
export interface ActivityHandle<StopPayload> {
  /** The activity's id as GUID text; undefined if the Start event was disabled. */
  readonly id: string | undefined;
  /** Writes the Stop event and ends this activity, from any context. */
  stop(payload?: StopPayload | (() => StopPayload)): void;
  /** Runs the function, and everything it causes, inside the activity. */
  run<Result>(work: () => Result): Result;
  /** Stops as a success. */
  [Symbol.dispose](): void;
}

/** The key under which an event source has its pairs of Start and Stop events, by activity name. */
export const ACTIVITY_EVENTS: unique symbol = Symbol('tracewright.activityEvents');

/** Code that starts a source's activities on behalf of other code uses this: see `beginIn`. */
export function activityEventsOf(source: object, name: string): ActivityEvents {
  return allActivityEventsOf(source).get(name) as ActivityEvents;
}

/** The keys are the activities' names. */
export function allActivityEventsOf(source: object): ReadonlyMap<string, ActivityEvents> {
  return (
    (source as { [ACTIVITY_EVENTS]?: ReadonlyMap<string, ActivityEvents> })[ACTIVITY_EVENTS] ?? new Map()
  );
}

/** A Start event and its Stop event. */
export class ActivityEvents implements ActivityStarter {
  /** Whether the Start event is enabled. */
  readonly startWord: EnabledWord;
  readonly #start: EventWriter;
  readonly #stop: EventWriter;
  readonly #name: string;
  readonly #options: number;
  readonly #processId: number;
  readonly #tracker: ActivityTracker;
  readonly #flow: ActivityFlow;
  /** The Stop's payloads. */
  readonly outcomes: OutcomePayloads;
  readonly #crosses: boolean;
  /** What starting returns while the event is disabled. */
  readonly #unheard: Handle;
  #openSchema: EventSchema | undefined;

  /**
   * @param name see `activityName`
   * @param options flags of `ActivityOptions`
   * @param processId for the ids' checksum; 0 for ids of the 2016 form
   * @param crosses whether the Start has the fields of the `traceContext` option
   */
  constructor(
    start: EventWriter,
    stop: EventWriter,
    name: string,
    options: number,
    processId: number,
    shared: SharedActivities,
    crosses = false,
  ) {
    this.startWord = start.audience;
    this.#start = start;
    this.#stop = stop;
    this.#name = name;
    this.#options = options;
    this.#processId = processId;
    this.#tracker = shared.tracker;
    this.#flow = shared.flow;
    this.outcomes = new OutcomePayloads(stop.schema);
    this.#crosses = crosses;
    this.#unheard = new Handle(this, undefined);
  }

  get unheard(): Handle {
    return this.#unheard;
  }

  /** The bare Start: the rest of the running code is inside the activity. */
  start(payload: LazyPayload | undefined, options: WriteOptions | undefined): Handle {
    if (this.#start.dropWhenClosed()) return this.#unheard;
    const activity = this.#beginHere(payload, options);
    if (activity === undefined) return this.#unheard;
    this.#flow.enter(activity);
    return new Handle(this, activity);
  }

  /** The bare Stop: of the innermost running activity of this name, else an ordinary event. */
  stop(payload: LazyPayload | undefined, options: WriteOptions | undefined): void {
    const context = this.#flow.context;
    const activity =
      !givesIds(options) && this.#tracked ? this.#tracker.find(context, this.#name) : undefined;
    if (activity === undefined) {
      this.#stop.write(payload, this.#tracker.currentActivityId(context), undefined, options);
      return;
    }
    this.#flow.enter(this.#tracker.stop(context, activity));
    this.#stop.write(payload, activity.id, undefined, undefined);
  }

  /**
   * Begins an activity in the given context, without changing that of the running code: for code that observes work
   * from outside. Stop it with `endBegun`.
   *
   * @param payload called when somebody wants it; receives the fields of the option `traceContext`, if the Start has it
   * @param resource the resource of Node.js that stands for the work
   */
  beginIn(
    context: ActivityContext | undefined,
    payload: (trace: TraceFields) => Payload,
    resource?: object,
  ): Activity | undefined {
    if (this.#start.dropWhenClosed()) return undefined;
    this.#flow.begin();
    const activity = this.#tracked ? this.#startIn(context) : undefined;
    this.#writeStart(() => payload(this.#traceOf(activity)), activity, context, undefined, resource);
    return activity;
  }

  /**
   * Call it once. The running code's context does not change.
   *
   * @param context the one in which the work ended: what it started there ends, too, and other activities continue
   */
  endBegun(activity: Activity, payload: LazyPayload, context?: ActivityContext): void {
    this.#tracker.stop(context, activity);
    if (this.#stop.isNoticed) this.#stop.write(payload, activity.id, undefined, undefined);
  }

  /** Stops exactly this activity; its Stop event carries its id, wherever it is written. */
  stopActivity(activity: Activity, payload: LazyPayload | undefined): void {
    const context = this.#flow.context;
    const next = this.#tracker.stop(context, activity);
    if (next !== context) this.#flow.enter(next);
    if (this.#stop.isNoticed) this.#stop.write(payload, activity.id, undefined, undefined);
  }

  /** The Stop for a start without an activity: an ordinary event. */
  stopUntracked(payload: LazyPayload | undefined): void {
    if (!this.#stop.isNoticed) return;
    this.#stop.write(payload, this.#tracker.currentActivityId(this.#flow.context), undefined, undefined);
  }

  /** Runs the work inside the activity and stops it when the work has ended. */
  scope<Result>(
    payload: LazyPayload | undefined,
    stopPayload: ((outcome: Outcome) => Payload) | undefined,
    work: () => Result,
  ): Result {
    if (!this.startEnabled) {
      if (this.#start.dropWhenClosed()) this.#stop.dropWhenClosed();
      return work();
    }
    const activity = this.#beginHere(payload, undefined);
    const scope = new Scope(this, activity, stopPayload, work);
    let result: Result;
    try {
      result = activity === undefined ? work() : this.#flow.runWith(activity, beginScope<Result>, scope);
    } catch (error) {
      scope.end({ success: false, error });
      throw error;
    }
    if (typeof result === 'object' && result !== null) {
      return whenEnded(result, types.isAsyncFunction(work), scope);
    }
    scope.end({ success: true, value: result });
    return result;
  }

  /** The context of the running code, which may have started activities without a scope. */
  get context(): ActivityContext | undefined {
    return this.#flow.context;
  }

  /** Like `scope`, with the activity started inside the parent. */
  scopeIn<Result>(
    parent: ActivityParent,
    payload: LazyPayload | undefined,
    stopPayload: ((outcome: Outcome) => Payload) | undefined,
    work: () => Result,
  ): Result {
    // A tracer arrives unannounced: its first Start may be this one.
    if (this.startEnabled) this.#flow.begin();
    return runInActivity(parent, () => this.scope(payload, stopPayload, work));
  }

  /** Runs the function inside the activity and, if it returns an iterator, each of its steps. */
  run<Result>(activity: Activity, work: () => Result): Result {
    const result = this.#flow.run(activity, work);
    runStepsOf(result, (step) => this.runStep(activity, step));
    return result;
  }

  /** An iteration may outlive the last listener: it must not bring back the flow that ended with it. */
  runStep<Result>(activity: Activity, step: () => Result): Result {
    return this.#flow.active ? this.#flow.run(activity, step) : step();
  }

  get provider(): string {
    return this.#start.provider;
  }

  get task(): string {
    return this.startSchema.name.replace(/Start$/, '');
  }

  tellOpen(activity: Activity, { time, payload }: ActivityStart, subscriber: Subscriber): void {
    this.#openSchema ??= openSchema(this.startSchema, this.task);
    const whole = () =>
      Object.assign({}, payloadOf(payload as LazyPayload | undefined), {
        [OPEN_ACTIVITY.age]: msSince(time),
      });
    this.#start.deliverTo(subscriber, this.#openSchema, whole, activity.id, activity.relatedActivityId);
  }

  get startSchema(): EventSchema {
    return this.#start.schema;
  }

  /** Whether somebody wants the Start event, or the activity to be there. */
  get startEnabled(): boolean {
    return this.#start.audience.isStartNeeded;
  }

  /** Sets whether the activity begins and ends even while nobody wants its events. */
  keep(isKept: boolean): void {
    this.#start.audience.keep(isKept);
    this.#stop.audience.keep(isKept);
  }

  get #tracked(): boolean {
    return (this.#options & ActivityOptions.Disable) === 0;
  }

  /** Writes the Start event; the activity has started, but is not the context of any code yet. */
  #beginHere(payload: LazyPayload | undefined, options: WriteOptions | undefined): Activity | undefined {
    this.#flow.begin();
    const context = afterFinishedLoop(this.#flow.context, this.#name);
    // .NET: an event with explicit ids starts nothing.
    const activity = !givesIds(options) && this.#tracked ? this.#startIn(context) : undefined;
    const whole = this.#crosses ? () => withTrace(payloadOf(payload), this.#traceOf(activity)) : payload;
    this.#writeStart(whole, activity, context, options);
    return activity;
  }

  #startIn(context: ActivityContext | undefined): Activity | undefined {
    const activity = this.#tracker.start(context, this.#name, this.#options, this.#processId);
    if (activity !== undefined) activity.awaitsTrace = this.#crosses;
    return activity;
  }

  #traceOf(activity: Activity | undefined): TraceFields {
    return this.#crosses && activity !== undefined ? giveTrace(activity) : NO_TRACE;
  }

  #writeStart(
    payload: LazyPayload | undefined,
    activity: Activity | undefined,
    context: ActivityContext | undefined,
    options: WriteOptions | undefined,
    resource?: object,
  ): void {
    if (activity === undefined) {
      this.#start.write(payload, this.#tracker.currentActivityId(context), undefined, options);
    } else {
      const time = timestamp();
      this.#tracker.list(activity, { time, starter: this, payload, resource });
      this.#start.write(payload, activity.id, activity.relatedActivityId, undefined, time);
      this.#flow.onStart?.(activity.id);
    }
  }
}

/** The fields of the option `traceContext`. */
export type TraceFields = Pick<TraceContext, 'traceId' | 'spanId' | 'parentSpanId'>;
const NO_TRACE: TraceFields = { traceId: '', spanId: '', parentSpanId: '' };

/** `Object.assign` is chosen over `{ ...payload, ...trace }`, which takes four microseconds on Node.js 20. */
function withTrace(payload: Payload, { traceId, spanId, parentSpanId }: TraceFields): Payload {
  return Object.assign({}, payload, { traceId, spanId, parentSpanId });
}

/** The event has the Start's fields, and no number of its own, like self-describing events. */
function openSchema(start: EventSchema, task: string): EventSchema {
  const { suffix, opcode, age } = OPEN_ACTIVITY;
  const fields = [...start.fields, { name: age, type: 'double', nullable: false, array: false } as const];
  return { ...start, id: 0, task: 0, opcode, name: task + suffix, fields };
}

/** Work that a scope runs inside its activity, which stops when the work has ended. One object, not several closures. */
class Scope<Result> implements ObservedWork {
  readonly #work: () => Result;
  readonly #events: ActivityEvents;
  /** It is undefined if the work runs without an activity. */
  readonly #activity: Activity | undefined;
  readonly #stopPayload: ((outcome: Outcome) => Payload) | undefined;
  /** The context in which the function of the work returned. */
  #context: ActivityContext | undefined;

  constructor(
    events: ActivityEvents,
    activity: Activity | undefined,
    stopPayload: ((outcome: Outcome) => Payload) | undefined,
    work: () => Result,
  ) {
    this.#work = work;
    this.#events = events;
    this.#activity = activity;
    this.#stopPayload = stopPayload;
    this.#context = activity;
  }

  begin(): Result {
    const work = this.#work;
    try {
      return work();
    } finally {
      this.#context = this.#events.context;
    }
  }

  runStep<Step>(step: () => Step): Step {
    return this.#activity === undefined ? step() : this.#events.runStep(this.#activity, step);
  }

  end(outcome: Outcome): void {
    const events = this.#events;
    const isPlain = outcome.success && this.#stopPayload === undefined;
    const payload = isPlain ? events.outcomes.success : this.#payloadOf(outcome);
    if (this.#activity === undefined) events.stopUntracked(payload);
    else events.endBegun(this.#activity, payload, this.#context);
  }

  #payloadOf(outcome: Outcome): () => Payload {
    const stopPayload = this.#stopPayload ?? ((ended) => this.#events.outcomes.of(ended));
    return () => stopPayload(outcome);
  }
}

function beginScope<Result>(scope: Scope<Result>): Result {
  return scope.begin();
}

class Handle implements ActivityHandle<Payload> {
  readonly #events: ActivityEvents;
  readonly #activity: Activity | undefined;
  #stopped = false;

  constructor(events: ActivityEvents, activity: Activity | undefined) {
    this.#events = events;
    this.#activity = activity;
  }

  get id(): string | undefined {
    return this.#activity?.id.toString();
  }

  stop(payload?: LazyPayload): void {
    if (this.#activity === undefined || this.#stopped) {
      this.#events.stopUntracked(payload);
    } else {
      this.#stopped = true;
      this.#events.stopActivity(this.#activity, payload);
    }
  }

  run<Result>(work: () => Result): Result {
    return this.#activity === undefined ? work() : this.#events.run(this.#activity, work);
  }

  [Symbol.dispose](): void {
    this.stop(() => this.#events.outcomes.success);
  }
}
