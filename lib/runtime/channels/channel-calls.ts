/** The calls reported by a TracingChannel as activities: from `start` to `asyncEnd`, or to `end` if that is all. */
import type { Activity, ActivityContext } from '../../activity/activity.ts';
import { sharedActivities } from '../../activity/shared.ts';
import type { ActivityEvents } from '../../source/activity-events.ts';
import type { Payload } from '../../wire/values/faults.ts';
import type { CALL_EVENTS } from './specs.ts';

interface Call {
  readonly activity: Activity;
  readonly caller: ActivityContext | undefined;
}

export class ChannelCalls {
  readonly #events: ActivityEvents;
  readonly #flow = sharedActivities().flow;
  /** All messages about a call are one object. */
  readonly #calls = new WeakMap<object, Call>();

  constructor(events: ActivityEvents) {
    this.#events = events;
  }

  /**
   * Handles an event of the channel; an error is only reported, because the Stop follows.
   *
   * @param payload of the event
   * @param tell writes an ordinary event with the id of the activity
   */
  handle(
    name: (typeof CALL_EVENTS)[number],
    message: unknown,
    payload: () => Payload,
    tell: (activityId: string) => void,
  ): void {
    if (typeof message !== 'object' || message === null) return;
    if (name === 'start') this.#start(message, payload);
    else this.#goOn(name, message, payload, tell);
  }

  #goOn(
    name: (typeof CALL_EVENTS)[number],
    message: object,
    payload: () => Payload,
    tell: (activityId: string) => void,
  ): void {
    const call = this.#calls.get(message);
    if (call === undefined) return;
    if (name === 'error') tell(call.activity.id.toString());
    // Work caused by the call stays inside; the caller does not.
    if (name === 'end' && this.#flow.active) this.#flow.enter(call.caller);
    if (name === 'asyncEnd' || (name === 'end' && ('error' in message || 'result' in message))) {
      this.#calls.delete(message);
      this.#events.endBegun(call.activity, payload);
    }
  }

  #start(message: object, payload: () => Payload): void {
    const caller = this.#flow.context;
    const activity = this.#events.beginIn(caller, payload);
    if (activity === undefined) return;
    this.#calls.set(message, { activity, caller });
    this.#flow.enter(activity);
  }
}
