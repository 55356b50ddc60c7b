/**
 * The time of a playback as an RxJS scheduler: it advances with the events, not with the wall clock. Passed to
 * `windowTime`, `delay`, `timer` and the like, it makes them run in the time of the trace.
 *
 * Source: the semantics of Tx's TimeSource and its HistoricalScheduler, checked by running them. RxJS's own
 * VirtualTimeScheduler is not suitable: it sorts all of its actions whenever one is added, and uses numbers, which
 * cannot represent nanoseconds since 1970.
 */
import { type SchedulerAction, type SchedulerLike, Subscription } from 'rxjs';
import { Heap, type HeapItem } from '../base/heap.ts';
import type { Nanoseconds } from '../trace/trace-event.ts';
import { type Instant, nanosecondsOf } from './instant.ts';
import { PlaybackError } from './playback-error.ts';

type Work<State> = (this: SchedulerAction<State>, state?: State) => void;

/** Later than everything: RxJS uses numbers, and a delay may be Infinity. */
const NEVER = 1n << 256n;

export class VirtualTime implements SchedulerLike {
  #clock: Nanoseconds | undefined;
  readonly #actions = new Heap<VirtualAction>(
    (a, b) => a.due < b.due || (a.due === b.due && a.order < b.order),
  );
  /** What was scheduled before the clock was set, in order. */
  readonly #postponed = new Set<VirtualAction>();
  #scheduled = 0;

  /**
   * Milliseconds since 1970, for RxJS: a double, so precise to a quarter of a microsecond. Delays are precise to the
   * nanosecond.
   *
   * @throws PlaybackError before the first event, when there is no time yet (unless `startTime` is set)
   */
  now(): number {
    if (this.#clock === undefined) {
      throw new PlaybackError(
        "There is no virtual time before the playback's first event, unless startTime is set.",
      );
    }
    return Number(this.#clock) / 1e6;
  }

  /** Schedules work. Before the first event it is postponed, and the delay counts from there. */
  schedule<State>(work: Work<State>, delay = 0, state?: State): Subscription {
    return new VirtualAction(this, work as Work<unknown>).schedule(state, delay);
  }

  /** Runs the work when virtual time reaches the instant; if it has already passed, with the next event. */
  scheduleAt(instant: Instant, work: () => void): Subscription {
    const action = new VirtualAction(this, work);
    action.due = nanosecondsOf(instant, 'The instant to schedule at');
    this.#add(action);
    return action;
  }

  /**
   * Sets the clock for the first time.
   *
   * @internal
   */
  start(time: Nanoseconds): void {
    this.#clock = time;
    for (const action of this.#postponed) {
      if (action.delay !== undefined) action.due = time + action.delay;
      this.#actions.add(action);
    }
    this.#postponed.clear();
  }

  /**
   * Advances to a time, first running everything that is due up to and including it. The clock never goes back.
   *
   * @internal
   */
  advanceTo(time: Nanoseconds): void {
    if (this.#clock === undefined) this.start(time);
    const target = this.#laterOf(time);
    for (
      let next = this.#actions.first;
      next !== undefined && next.due <= target;
      next = this.#actions.first
    ) {
      this.#actions.remove(next);
      this.#clock = this.#laterOf(next.due);
      next.run();
    }
    this.#clock = this.#laterOf(target);
  }

  /**
   * The end: what is due now still runs, what is due later never will.
   *
   * @internal
   */
  finish(): void {
    if (this.#clock !== undefined) this.advanceTo(this.#clock + 1n);
  }

  /** @internal */
  reschedule(action: VirtualAction, delay: number): void {
    this.cancel(action);
    action.delay = nanosecondsOfDelay(delay);
    if (this.#clock !== undefined) action.due = this.#clock + action.delay;
    this.#add(action);
  }

  /** @internal */
  cancel(action: VirtualAction): void {
    this.#actions.remove(action);
    this.#postponed.delete(action);
  }

  #add(action: VirtualAction): void {
    action.order = this.#scheduled++;
    if (this.#clock === undefined) this.#postponed.add(action);
    else this.#actions.add(action);
  }

  #laterOf(time: Nanoseconds): Nanoseconds {
    return this.#clock !== undefined && this.#clock > time ? this.#clock : time;
  }
}

/** A piece of work in virtual time. Unsubscribing removes it. */
class VirtualAction extends Subscription implements HeapItem, SchedulerAction<unknown> {
  heapIndex = -1;
  /** The time at which it runs; unknown while it is postponed with a delay. */
  due: Nanoseconds = 0n;
  /** The delay is absent if the work was scheduled at an instant. */
  delay: Nanoseconds | undefined = undefined;
  /** Decides which of two that are due together runs first. */
  order = 0;
  readonly #time: VirtualTime;
  readonly #work: Work<unknown>;
  #state: unknown;

  constructor(time: VirtualTime, work: Work<unknown>) {
    super();
    this.#time = time;
    this.#work = work;
  }

  schedule(state?: unknown, delay = 0): Subscription {
    if (this.closed) return this;
    this.#state = state;
    this.#time.reschedule(this, delay);
    return this;
  }

  run(): void {
    this.#work.call(this, this.#state);
  }

  override unsubscribe(): void {
    this.#time.cancel(this);
    super.unsubscribe();
  }
}

function nanosecondsOfDelay(milliseconds: number): Nanoseconds {
  const nanoseconds = Math.round(milliseconds * 1e6);
  if (!(nanoseconds > 0)) return 0n;
  return Number.isFinite(nanoseconds) ? BigInt(nanoseconds) : NEVER;
}
