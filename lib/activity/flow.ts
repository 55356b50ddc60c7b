/**
 * How the current activity flows through asynchronous code: an AsyncLocalStorage that exists only while someone listens
 * to activities, because on Node 20 and 22 a used storage triples the cost of every `await` in the process until it is
 * disabled. See docs/activity-flow.md.
 */
import { AsyncLocalStorage, createHook, executionAsyncResource } from 'node:async_hooks';
import { type Activity, type ActivityContext, ManualIdContext } from './activity.ts';
import { CallbackContexts } from './callback-contexts.ts';
import { Guid } from './guid.ts';

/** How soon the storage is dropped after the last listener has left, in milliseconds. */
const GIVE_UP_INTERVAL = 1000;

export class ActivityFlow {
  #storage: AsyncLocalStorage<ActivityContext | undefined> | undefined;
  /** It is undefined if Node.js itself restores the context of each callback, as 24 and later do. */
  #callbacks: CallbackContexts | undefined;
  /** On Node.js 20 and 22, resources keep their contexts under this key. */
  #key: symbol | undefined;
  /** The contexts of resources that do not keep them where they can be read. */
  readonly #owners = new WeakMap<object, ActivityContext>();
  readonly #listenedTo = new Set<() => boolean>();

  /**
   * Lets another context, such as OpenTelemetry's, override the flow's own: receives that, and returns the one to use.
   */
  refine: ((own: ActivityContext | undefined) => ActivityContext | undefined) | undefined = undefined;

  /** Called when `enter` or `run` may have changed the context, and when `run` has restored it. */
  #onSwitch: (() => void) | undefined;
  readonly #switchObservers = new Set<() => void>();

  /** Called when the Start of an activity has been written, by the code that starts it. */
  onStart: ((id: Guid) => void) | undefined = undefined;

  /** Whether the running code makes the package's own requests, which are not traced. */
  isQuiet = false;

  /** Calls the function while `isQuiet` is true. */
  quietly<Result>(work: () => Result): Result {
    const wasQuiet = this.isQuiet;
    this.isQuiet = true;
    try {
      return work();
    } finally {
      this.isQuiet = wasQuiet;
    }
  }

  /** The context of the running code. */
  get context(): ActivityContext | undefined {
    if (this.#storage === undefined) return undefined;
    const own = this.#storage.getStore();
    return this.refine === undefined ? own : this.refine(own);
  }

  /** The flow's own context, without `refine`. */
  get ownContext(): ActivityContext | undefined {
    return this.#storage?.getStore();
  }

  /** Whether the flow is on. */
  get active(): boolean {
    return this.#storage !== undefined;
  }

  /**
   * Adds a reason to keep the flow: it ends once none of the functions returns true. The kernel does not announce that
   * its listeners have gone, so the functions are polled once a second while the flow is on.
   *
   * @returns removes the reason
   */
  keepWhile(isListenedTo: () => boolean): () => void {
    this.#listenedTo.add(isListenedTo);
    return () => void this.#listenedTo.delete(isListenedTo);
  }

  /**
   * Calls the function whenever the context may have changed, which costs each callback and `await` some time.
   *
   * @returns ends it
   */
  observeSwitches(observer: () => void): () => void {
    if (!canOmitPromises()) return this.observeCallbacks(observer);
    this.begin();
    if (this.#key !== undefined) return this.observeCallbacks(observer);
    // V8's own hook takes half the time for a promise, where the flow does without async hooks.
    const endPromises = process.getBuiltinModule('node:v8').promiseHooks.onBefore(observer);
    const endOthers = this.observeCallbacks(observer, WITHOUT_PROMISES);
    return () => {
      endPromises();
      endOthers();
    };
  }

  /**
   * Like `observeSwitches`; the function receives the async id of the callback, or of the continuation of a promise, that
   * begins.
   */
  observeCallbacks(observer: (asyncId?: number) => void, options: HookOptions = {}): () => void {
    const switchObservers = this.#switchObservers;
    // Not `after`: it would double the cost, and whatever runs next comes with its own `before`.
    const hook = createHook({ before: observer, ...options }).enable();
    switchObservers.add(observer);
    this.#onSwitch = () => {
      for (const observe of switchObservers) observe();
    };
    return () => {
      hook.disable();
      switchObservers.delete(observer);
      if (switchObservers.size === 0) this.#onSwitch = undefined;
    };
  }

  /** The context in which a resource of Node.js was created, as far as that is known. */
  contextOf(resource: object): ActivityContext | undefined {
    const storage = this.#storage;
    const key = this.#key;
    if (storage === undefined) return undefined;
    const owner = this.#owners.get(resource);
    const kept = resource as Readonly<Record<symbol, unknown>>;
    if (owner !== undefined || key !== undefined) return owner ?? (kept[key as symbol] as ActivityContext);
    const symbol = Object.getOwnPropertySymbols(kept).find(({ description }) => description === FRAME);
    const frame = symbol && (kept[symbol] as Partial<ReadonlyMap<unknown, ActivityContext>> | undefined);
    return frame?.get?.(storage);
  }

  /**
   * Keeps the contexts of resources such as file system requests, where Node.js itself keeps them out of reach: on 24
   * and later, and only if that costs nothing for promises.
   *
   * @returns ends it
   */
  keepOwners(): () => void {
    this.begin();
    if (this.#key !== undefined) return () => {};
    const init = (_id: number, type: string, _trigger: number, resource: object) => {
      if (type === 'PROMISE') hook.disable();
      if (OWNERLESS.has(type)) return;
      const context = this.#storage?.getStore();
      if (context !== undefined) this.#owners.set(resource, context);
    };
    const hook = createHook({ init, ...WITHOUT_PROMISES }).enable();
    return () => void hook.disable();
  }

  /** Changes the context for the rest of the running code and everything it causes. */
  enter(context: ActivityContext | undefined): void {
    const storage = this.begin();
    this.#callbacks?.keep();
    storage.enterWith(context);
    this.#onSwitch?.();
  }

  /** Enters the activity like `enter`, unless the running code is inside it already or the flow has ended. */
  comeBackTo(activity: Activity): void {
    if (!this.active) return;
    let current = this.context?.activity;
    while (current !== undefined && current !== activity) current = current.creator;
    if (current === undefined) this.enter(activity);
  }

  /** Runs the function, and everything it causes, in `context`; the caller's context does not change. */
  run<Result>(context: ActivityContext | undefined, work: () => Result): Result {
    return this.runWith(context, called, work);
  }

  /** Like `run`, for a function that needs no closure: a closure would take each activity 100 bytes. */
  runWith<Argument, Result>(
    context: ActivityContext | undefined,
    work: (argument: Argument) => Result,
    argument: Argument,
  ): Result {
    const onSwitch = this.#onSwitch;
    if (onSwitch === undefined) return this.#runUnobserved(context, work, argument);
    try {
      return this.#runUnobserved(
        context,
        () => {
          onSwitch();
          return work(argument);
        },
        undefined,
      );
    } finally {
      try {
        onSwitch();
      } catch {
        // No stack is left even for the call. The work's own result or error counts.
      }
    }
  }

  #runUnobserved<Argument, Result>(
    context: ActivityContext | undefined,
    work: (argument: Argument) => Result,
    argument: Argument,
  ): Result {
    const storage = this.begin();
    return this.#callbacks === undefined
      ? storage.run(context, work, argument)
      : this.#callbacks.run(context, work, argument);
  }

  /**
   * Starts the flow unless it is on. Best done before the first `enter`: on Node 20 and 22, if a storage is first used
   * inside a promise continuation, the code that awaits the promise sees its value, too.
   */
  begin(): AsyncLocalStorage<ActivityContext | undefined> {
    if (this.#storage !== undefined) return this.#storage;
    const storage = new AsyncLocalStorage<ActivityContext | undefined>();
    const key = keyOf(storage);
    storage.enterWith(undefined);
    this.#storage = storage;
    this.#key = key;
    if (key !== undefined) this.#callbacks = new CallbackContexts(key);
    const timer = setInterval(() => {
      for (const isListenedTo of this.#listenedTo) if (isListenedTo()) return;
      clearInterval(timer);
      this.#giveUp();
    }, GIVE_UP_INTERVAL);
    // It must not keep the process alive.
    timer.unref();
    return storage;
  }

  /** The next flow uses a new storage: stale contexts in running code belong to the old one. */
  #giveUp(): void {
    this.#storage?.disable();
    this.#storage = undefined;
    this.#callbacks?.close();
    this.#callbacks = undefined;
  }
}

function called<Result>(work: () => Result): Result {
  return work();
}

type HookOptions = { readonly trackPromises?: boolean };
/** Later versions of Node.js 24 know this option of async hooks; others ignore it. */
export const WITHOUT_PROMISES: HookOptions = { trackPromises: false };

/** Whether an async hook can leave out promises. */
function canOmitPromises(): boolean {
  let isTold = false;
  const init = () => {
    isTold = true;
  };
  const hook = createHook({ init, ...WITHOUT_PROMISES }).enable();
  Promise.resolve();
  hook.disable();
  return !isTold;
}

/** The description of the symbol under which timers keep their context on Node.js 24 and later. */
const FRAME = 'kAsyncContextFrame';
/** The types of resources that are never asked for, or keep their own context. */
const OWNERLESS: ReadonlySet<string> = new Set(['PROMISE', 'TickObject', 'Immediate', 'Timeout']);

/** The key under which the storage keeps its value on the resource of the running code, if it does so. */
function keyOf(storage: AsyncLocalStorage<ActivityContext | undefined>): symbol | undefined {
  const probe = new ManualIdContext(undefined, Guid.empty);
  storage.enterWith(probe);
  const resource = executionAsyncResource() as Record<symbol, unknown>;
  return Object.getOwnPropertySymbols(resource).find((symbol) => resource[symbol] === probe);
}
