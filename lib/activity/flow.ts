/**
 * How the current activity flows through asynchronous code: an AsyncLocalStorage that is there only while
 * someone listens to activities, because on Node 20 and 22 a storage that was ever used triples the cost of
 * every `await` in the process until it is disabled. See docs/activity-flow.md.
 */
import { AsyncLocalStorage, executionAsyncResource } from 'node:async_hooks';
import { type ActivityContext, ManualIdContext } from './activity.ts';
import { CallbackContexts } from './callback-contexts.ts';
import { Guid } from './guid.ts';

/** How soon the storage is given up after the last listener has gone, in milliseconds. */
const GIVE_UP_INTERVAL = 1000;

export class ActivityFlow {
  private storage: AsyncLocalStorage<ActivityContext | undefined> | undefined;
  /** Undefined where Node.js itself gives each callback the context that it had before, as 24 and later do. */
  private callbacks: CallbackContexts | undefined;
  private readonly listenedTo = new Set<() => boolean>();

  /** The context that the running code is in. */
  get context(): ActivityContext | undefined {
    return this.storage?.getStore();
  }

  /** Whether activities flow at the moment. */
  get active(): boolean {
    return this.storage !== undefined;
  }

  /**
   * Names a reason to keep the flow: it is given up when none of the functions says true any more. Nobody
   * tells when the kernel's listeners go, so they are asked, once a second while the flow is there.
   *
   * @returns takes it back
   */
  keepWhile(isListenedTo: () => boolean): () => void {
    this.listenedTo.add(isListenedTo);
    return () => void this.listenedTo.delete(isListenedTo);
  }

  /** The rest of the running code, and all that it causes, runs in `context`. */
  enter(context: ActivityContext | undefined): void {
    const storage = this.begin();
    this.callbacks?.keep();
    storage.enterWith(context);
  }

  /** Runs the function, and all that it causes, in `context`; the caller's own stays as it is. */
  run<Result>(context: ActivityContext | undefined, work: () => Result): Result {
    const storage = this.begin();
    const { callbacks } = this;
    if (callbacks === undefined) return storage.run(context, work);
    const outer = callbacks.beginRun();
    try {
      return storage.run(context, work);
    } finally {
      callbacks.endRun(outer);
    }
  }

  /**
   * Starts the flow unless it is there. Best before the first `enter`: on Node 20 and 22 a storage first
   * used inside a promise's continuation is seen by the code that awaits the promise, too.
   */
  begin(): AsyncLocalStorage<ActivityContext | undefined> {
    if (this.storage !== undefined) return this.storage;
    const storage = new AsyncLocalStorage<ActivityContext | undefined>();
    const key = keyOf(storage);
    storage.enterWith(undefined);
    this.storage = storage;
    if (key !== undefined) this.callbacks = new CallbackContexts(key);
    const timer = setInterval(() => {
      for (const isListenedTo of this.listenedTo) if (isListenedTo()) return;
      clearInterval(timer);
      this.giveUp();
    }, GIVE_UP_INTERVAL);
    // The process need not stay for it.
    timer.unref();
    return storage;
  }

  /** A later flow is a new storage: contexts that are left over in running code belong to the old one. */
  private giveUp(): void {
    this.storage?.disable();
    this.storage = undefined;
    this.callbacks?.close();
    this.callbacks = undefined;
  }
}

/** The name under which the storage keeps its value on the resource that the running code belongs to, if it does. */
function keyOf(storage: AsyncLocalStorage<ActivityContext | undefined>): symbol | undefined {
  const probe = new ManualIdContext(undefined, Guid.empty);
  storage.enterWith(probe);
  const resource = executionAsyncResource() as Record<symbol, unknown>;
  return Object.getOwnPropertySymbols(resource).find((symbol) => resource[symbol] === probe);
}
