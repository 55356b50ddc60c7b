/**
 * Starts each callback of the event loop in its own context, on Node.js 20 and 22.
 *
 * There, an AsyncLocalStorage keeps its value on the resource of the running code, so the context that a callback
 * enters stays on it. An interval, a socket or a port uses one resource for all its callbacks, and an HTTP connection
 * uses one for all its requests: each call would start in the activity that the previous one started. So the resource's
 * previous value is restored when the callback has returned, as Node.js 24 and later do themselves.
 */
import { executionAsyncResource } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { types } from 'node:util';

type Resource = Record<symbol, unknown>;

/** Pipelined requests are handled in one turn, with no microtask in between. */
const REQUEST_CHANNEL = 'http.server.request.start';

const resolved = Promise.resolve();

export class CallbackContexts {
  /** The key of the storage's value on a resource. */
  readonly #key: symbol;
  /** What was entered in this turn, in order; a resource may appear twice. */
  readonly #changed: { readonly resource: Resource; readonly value: unknown }[] = [];
  #last: Resource | undefined;
  #isScheduled = false;
  /** The resource of the innermost `run`, which itself restores what it changes. */
  #running: Resource | undefined;

  constructor(key: symbol) {
    this.#key = key;
    subscribe(REQUEST_CHANNEL, this.#restoreRunning);
  }

  /** Call this before changing the running code's context permanently. */
  keep(): void {
    const resource = executionAsyncResource() as Resource;
    // A promise's code runs once.
    if (resource === this.#last || resource === this.#running || types.isPromise(resource)) return;
    this.#last = resource;
    this.#changed.push({ resource, value: resource[this.#key] });
    if (this.#isScheduled) return;
    // Microtasks run after the callback has returned.
    resolved.then(this.#restoreAll);
    this.#isScheduled = true;
  }

  /** Does what `run` of the storage does, which would look up the resource of the running code twice more. */
  run<Argument, Result>(value: unknown, work: (argument: Argument) => Result, argument: Argument): Result {
    const resource = executionAsyncResource() as Resource;
    const outer = this.#running;
    const before = resource[this.#key];
    this.#running = resource;
    resource[this.#key] = value;
    try {
      return work(argument);
    } finally {
      if (value !== before) resource[this.#key] = before;
      this.#running = outer;
    }
  }

  close(): void {
    unsubscribe(REQUEST_CHANNEL, this.#restoreRunning);
  }

  readonly #restoreAll = () => {
    this.#isScheduled = false;
    this.#last = undefined;
    for (let change = this.#changed.pop(); change !== undefined; change = this.#changed.pop()) {
      change.resource[this.#key] = change.value;
    }
  };

  /** Restores only the connection's own contexts: a request may be handled in the middle of other work. */
  readonly #restoreRunning = () => {
    if (this.#changed.length === 0) return;
    const resource = executionAsyncResource() as Resource;
    const first = this.#changed.find((change) => change.resource === resource);
    if (first === undefined) return;
    resource[this.#key] = first.value;
    this.#last = undefined;
  };
}
