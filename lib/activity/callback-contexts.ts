/**
 * Has each callback of the event loop begin in its own context, on Node.js 20 and 22.
 *
 * There, an AsyncLocalStorage keeps its value on the resource that the running code belongs to, and what a callback
 * enters stays on it. A timer that repeats, a socket or a port calls back again and again with one resource, and an
 * HTTP connection has one for all its requests: each call would begin in the activity that the last one started. So
 * what the resource held is put back when the callback has returned, as Node.js 24 and later do by themselves.
 */
import { executionAsyncResource } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { types } from 'node:util';

type Resource = Record<symbol, unknown>;

/** Requests that arrive together are handled in one turn, without a microtask in between. */
const REQUEST_CHANNEL = 'http.server.request.start';

const resolved = Promise.resolve();

export class CallbackContexts {
  /** What the storage's values are called on a resource. */
  readonly #key: symbol;
  /** What was entered in this turn, in order: a resource may be there twice. */
  readonly #changed: { readonly resource: Resource; readonly value: unknown }[] = [];
  #last: Resource | undefined;
  #isScheduled = false;
  /** Of the innermost `run` of the storage, which puts back what it changes itself. */
  #running: Resource | undefined;

  constructor(key: symbol) {
    this.#key = key;
    subscribe(REQUEST_CHANNEL, this.#restoreRunning);
  }

  /** To be called before the running code's context changes for good. */
  keep(): void {
    const resource = executionAsyncResource() as Resource;
    // A promise's code runs once.
    if (resource === this.#last || resource === this.#running || types.isPromise(resource)) return;
    this.#last = resource;
    this.#changed.push({ resource, value: resource[this.#key] });
    if (this.#isScheduled) return;
    // Microtasks run when the callback has returned.
    resolved.then(this.#restoreAll);
    this.#isScheduled = true;
  }

  /** To be called around each `run` of the storage; the result is for `endRun`. */
  beginRun(): Resource | undefined {
    const outer = this.#running;
    this.#running = executionAsyncResource() as Resource;
    return outer;
  }

  endRun(outer: Resource | undefined): void {
    this.#running = outer;
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

  /** Only of the connection: a request may be served in the middle of what somebody else does. */
  readonly #restoreRunning = () => {
    if (this.#changed.length === 0) return;
    const resource = executionAsyncResource() as Resource;
    const first = this.#changed.find((change) => change.resource === resource);
    if (first === undefined) return;
    resource[this.#key] = first.value;
    this.#last = undefined;
  };
}
