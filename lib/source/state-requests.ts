/**
 * Requests for the state of what a source reports on, such as its open connections: what a trace that begins now cannot
 * know otherwise. The application writes it, as events with the opcodes DataCollectionStart and DataCollectionStop.
 */
import { AsyncResource } from 'node:async_hooks';
import { sharedActivities } from '../activity/shared.ts';
import { thrownText } from '../base/value-text.ts';
import type { SourceContext } from './source-context.ts';

/** A request to write the state. ETW: capture state, or rundown. */
export interface StateRequest {
  /**
   * `start` when somebody begins to take events, or asks: the opcode is DataCollectionStart. `stop` at the end of a
   * trace: DataCollectionStop.
   */
  readonly kind: 'start' | 'stop';
  /** The level of the events that are asked for; 0 for all levels. */
  readonly level: number;
  /** Events with any of these are asked for; 0n for all. */
  readonly keywords: bigint;
}

export type StateHandler = (request: StateRequest) => void;

/** Linux: how often to check whether a recorder has come. */
const CHECK_MS = 1000;

export class StateRequests {
  readonly #context: SourceContext;
  #handlers: readonly StateHandler[] = [];
  /** What is to be asked for in the next turn of the event loop: requests of one turn are one. */
  #pending: StateRequest | undefined;
  #immediate: NodeJS.Immediate | undefined;
  #timer: NodeJS.Timeout | undefined;
  #traced = 0;

  constructor(context: SourceContext) {
    this.#context = context;
  }

  /** Adds a handler, and asks it for the state if somebody takes events already. */
  onRequest(handler: StateHandler): void {
    if (this.#context.subscriptions.isClosed) return;
    const isFirst = this.#handlers.length === 0;
    // State belongs to no request and no activity, whatever code brings a session.
    this.#handlers = [...this.#handlers, AsyncResource.bind(outside(handler), 'TracewrightState')];
    if (isFirst) this.#begin();
    else if (this.#context.subscriptions.isWanted) this.ask({ kind: 'start', level: 0, keywords: 0n });
  }

  /** A `stop` is answered before it returns: its trace ends there. */
  ask(request: StateRequest): void {
    if (this.#handlers.length === 0) return;
    if (request.kind === 'stop') {
      this.#answerPending();
      this.#answer(request);
      return;
    }
    this.#pending = this.#pending === undefined ? request : both(this.#pending, request);
    this.#immediate ??= setImmediate(() => this.#answerPending());
  }

  close(): void {
    this.#handlers = [];
    if (this.#immediate !== undefined) clearImmediate(this.#immediate);
    clearInterval(this.#timer);
  }

  #begin(): void {
    const { subscriptions, tracer } = this.#context;
    // First come the enables still in effect. ETW's sessions ask when they want it; they do not with each enable.
    subscriptions.onCommand(({ kind, level, anyKeyword: keywords }, sender) => {
      if (kind === 'sendManifest' || (kind === 'enable' && sender !== undefined)) {
        this.ask({ kind: 'start', level, keywords });
      }
    });
    if (tracer.backend !== 'user_events') return;
    this.#checkForRecorders();
    this.#timer = setInterval(() => this.#checkForRecorders(), CHECK_MS).unref();
  }

  /** Recorders on Linux do not announce themselves; checking takes only a few loads. */
  #checkForRecorders(): void {
    const { tracedEvents } = this.#context.subscriptions;
    if (tracedEvents > this.#traced) this.ask({ kind: 'start', level: 0, keywords: 0n });
    this.#traced = tracedEvents;
  }

  #answerPending(): void {
    const request = this.#pending;
    if (this.#immediate !== undefined) clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.#pending = undefined;
    if (request !== undefined) this.#answer(request);
  }

  #answer(request: StateRequest): void {
    if (!this.#context.subscriptions.isWanted) return;
    for (const handler of this.#handlers) {
      try {
        const result: unknown = handler({ ...request });
        if (result instanceof Promise) result.catch((error: unknown) => this.#count(error));
      } catch (error) {
        this.#count(error);
      }
    }
  }

  #count(error: unknown): void {
    const { account, provider } = this.#context;
    account.tell('state', () => `${provider.name}: a handler of onStateRequest threw ${thrownText(error)}`);
    account.drop('stateThrew');
  }
}

function outside(handler: StateHandler): StateHandler {
  const { flow } = sharedActivities();
  return (request) => (flow.active ? flow.run(undefined, () => handler(request)) : handler(request));
}

/** What asks for as little as possible and includes both. */
function both(one: StateRequest, other: StateRequest): StateRequest {
  return {
    kind: one.kind,
    level: one.level === 0 || other.level === 0 ? 0 : Math.max(one.level, other.level),
    keywords: one.keywords === 0n || other.keywords === 0n ? 0n : one.keywords | other.keywords,
  };
}
