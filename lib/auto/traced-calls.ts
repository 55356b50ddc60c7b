/**
 * Calls that a library reports through a TracingChannel: each becomes an activity, or only restores the caller's
 * context.
 */

import type { Activity, ActivityContext } from '../activity/activity.ts';
import { sharedActivities } from '../activity/shared.ts';
import { failureFields, NO_FAILURE } from '../base/thrown-fields.ts';
import type { ActivityEvents } from '../source/activity-events.ts';
import type { Payload } from '../wire/values/faults.ts';
import type { ChannelHandlers } from './channels.ts';

/** All messages about one call are one object, to which the publisher adds the outcome. */
export interface CallMessage {
  readonly result?: unknown;
  readonly error?: unknown;
}

/** The context that the running code had before it entered another one. */
interface Left {
  readonly context: ActivityContext | undefined;
}

interface Call {
  readonly caller: ActivityContext | undefined;
  readonly activity: Activity | undefined;
  hasEnded: boolean;
  /** Saved when the function is called, until it returns. */
  called: Left | undefined;
  /** Saved when the callback is called, until it returns. */
  answered: Left | undefined;
}

/** How the calls of a channel become activities. */
interface TracedCallsOptions<Message extends CallMessage> {
  readonly events: ActivityEvents;
  readonly fieldsOf: (message: Message) => Payload;
  /** The parent of the activity; by default, the caller's context. */
  readonly parentOf?: (message: Message) => ActivityContext | undefined;
  /**
   * Whether the library makes the call later than its caller asked for it, in the context of somebody else: then it has
   * no parent, and the running code's context is not the caller's.
   */
  readonly isDeferred?: () => boolean;
  /** Whether code that runs before the call returns is inside the activity. */
  readonly isEntered?: boolean;
  /** The part of an error's message to report: messages may contain secrets. */
  readonly toldMessage?: (errorMessage: string, error: unknown) => string;
  /** Whether the call continues after the function has returned. */
  readonly isPending?: (message: Message) => boolean;
}

/** The calls reported by one TracingChannel. */
export class TracedCalls<Message extends CallMessage> {
  readonly #channel: string;
  readonly #options: TracedCallsOptions<Message>;
  readonly #flow = sharedActivities().flow;
  readonly #calls = new WeakMap<Message, Call>();

  /** @param channel the publisher's name for it, to which Node.js adds `tracing:` and `:start` */
  constructor(channel: string, options: TracedCallsOptions<Message>) {
    this.#channel = channel;
    this.#options = options;
  }

  get handlers(): ChannelHandlers {
    const name = `tracing:${this.#channel}`;
    return {
      [`${name}:start`]: (message: Message) => this.#start(message),
      [`${name}:end`]: (message: Message) => this.#returned(message),
      [`${name}:asyncStart`]: (message: Message) => this.#answered(message),
      [`${name}:asyncEnd`]: (message: Message) => this.#handled(message),
    };
  }

  #start(message: Message): void {
    const { events, fieldsOf, parentOf, isDeferred, isEntered } = this.#options;
    const { context } = this.#flow;
    const caller = context !== undefined && isDeferred?.() ? undefined : context;
    const parent = parentOf === undefined ? caller : parentOf(message);
    const activity = events.startEnabled ? events.beginIn(parent, () => fieldsOf(message)) : undefined;
    const isInside = isEntered === true && activity !== undefined;
    this.#calls.set(message, {
      caller,
      activity,
      hasEnded: false,
      called: isInside ? { context } : undefined,
      answered: undefined,
    });
    if (isInside) this.#flow.enter(activity);
  }

  /** The function has returned: it has called or will call its callback, or it has returned a promise. */
  #returned(message: Message): void {
    const call = this.#calls.get(message);
    if (call === undefined) return;
    this.#comeBack(call.called);
    const { isPending } = this.#options;
    const isOver = isPending === undefined ? 'error' in message || 'result' in message : !isPending(message);
    if (isOver) this.#end(message, call);
  }

  /** The promise is settled, or the callback is about to be called, and belongs to the function's caller. */
  #answered(message: Message): void {
    const call = this.#calls.get(message);
    if (call === undefined) return;
    this.#end(message, call);
    const { context } = this.#flow;
    // The callback runs in the context of a connection, or of the code that released a connection the caller waited
    // for.
    if (!this.#flow.active || context === call.caller) return;
    call.answered = { context };
    this.#flow.enter(call.caller);
  }

  #handled(message: Message): void {
    this.#comeBack(this.#calls.get(message)?.answered);
  }

  #comeBack(left: Left | undefined): void {
    if (left !== undefined && this.#flow.active) this.#flow.enter(left.context);
  }

  #end(message: Message, call: Call): void {
    if (call.activity === undefined || call.hasEnded) return;
    call.hasEnded = true;
    const { error } = message;
    const { events, toldMessage = (errorMessage) => errorMessage } = this.#options;
    events.endBegun(call.activity, () => {
      if (error === undefined) return NO_FAILURE;
      const failure = failureFields(error);
      return { ...failure, errorMessage: toldMessage(failure.errorMessage, error) };
    });
  }
}
