/**
 * Who fills libuv's thread pool, and how long its queue takes. libuv tells neither, so a canary does: work that does
 * nothing but note when a thread begins with it. Only while somebody asks.
 *
 * The pool serves its queue in order, so a job that is submitted after a canary does not begin before it.
 */
import { AsyncResource, createHook } from 'node:async_hooks';
import { WITHOUT_PROMISES } from '../activity/flow.ts';
import type { Guid } from '../activity/guid.ts';
import { isOfThreadPool, ThreadPoolCanary, wakerOfName } from '../activity/runs.ts';
import { runningActivity, sharedActivities } from '../activity/shared.ts';
import { theTracer } from '../platform/tracer.ts';
import { writerOf } from '../source/event-functions.ts';
import { type RuntimeEvents, THREAD_POOL } from './events.ts';
import { isAskedFor, type Observation } from './observation.ts';

/** Work of the pool that this thread has submitted. */
interface Job {
  readonly asyncId: number;
  readonly kind: string;
  readonly id: Guid | undefined;
  /** The earliest time at which it can have been. */
  readonly submitted: number;
  /** A stream of zlib has one for all of its jobs, and need not end. */
  readonly resource: object | undefined;
  readonly stream: WeakRef<object> | undefined;
}

/** The jobs of one kind and activity. */
interface User {
  readonly kind: string;
  readonly id: Guid | undefined;
  jobs: number;
  /** Those that a thread of the pool has begun with, if only this thread uses the pool. */
  running: number;
}

interface Canary {
  readonly number: number;
  readonly submitted: number;
  /** How long it was in the queue; not a number while it is. The thread that begins with it writes this. */
  readonly delay: Float64Array;
  /** Those that were before it in the queue, or in the pool. */
  readonly users: readonly User[];
  readonly jobs: number;
}

/** The other jobs come from other threads or addons, and are only seen by canaries that come by themselves. */
const INTERVAL_MS = 100;
/** Canaries are so far apart, or by a tenth of the time that the oldest one has waited. */
const APART_MS = 10;
const APART_SHARE = 0.1;
/** A shorter delay is none. */
const TELLING_MS = 1;
const KEPT_CANARIES = 200;
const MAX_JOBS = 10_000;
const MAX_COUNTED = 1000;
const MAX_USERS = 8;
const MAX_TYPES = 500;
/** libuv's own default and limit. */
const THREADS = Math.min(1024, Math.max(1, Number(process.env.UV_THREADPOOL_SIZE ?? 4) || 1));

export class ThreadPool {
  readonly observation: Observation;
  readonly #events: RuntimeEvents;
  /** They are in order of submission. */
  #canaries: Canary[] = [];
  readonly #jobs = new Map<number, Job>();
  /** The kind is empty for types that are no jobs of the pool. */
  readonly #kinds = new Map<string, string>();
  /** Whether `beganWith` is called for each job: a hook of our own would cost every callback and `await` once more. */
  #isToldOfEnds = false;
  #number = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #hasToldDelay = false;
  #isAsked = false;
  #isRunning = false;
  #later: NodeJS.Timeout | undefined;
  /** The code that submits a job is the application's: what comes of that in this class is not its activity's. */
  #outside: AsyncResource | undefined;
  #isAnswering = false;

  constructor(events: RuntimeEvents) {
    this.#events = events;
    const writer = writerOf(events.ThreadPoolDelay);
    this.observation = {
      isWanted: () => isAskedFor(events, writer, THREAD_POOL) && theTracer().canProbeThreadPool,
      start: () => this.#start(),
    };
  }

  /** Call this while each job is told to `beganWith`. @returns ends it */
  knowEnds(): () => void {
    this.#isToldOfEnds = true;
    return () => {
      this.#isToldOfEnds = false;
      this.#jobs.clear();
    };
  }

  /** When a thread began with the job that now calls back, at the earliest; undefined if that is unknown. */
  beganWith(asyncId: number): number | undefined {
    if (!this.#isRunning) return undefined;
    const job = this.#jobs.get(asyncId);
    if (job === undefined) return undefined;
    // The next job of a stream is submitted after this one.
    if (job.stream !== undefined) this.#jobs.set(asyncId, { ...job, submitted: performance.now() });
    else this.#jobs.delete(asyncId);
    const before = this.#canaries.findLast(
      (canary) => !isInQueue(canary) && canary.submitted <= job.submitted,
    );
    return Math.max(job.submitted, before === undefined ? 0 : before.submitted + delayOf(before));
  }

  #start(): () => void {
    this.#isRunning = true;
    this.#outside = new AsyncResource('TracewrightThreadPool');
    if (!this.#isAnswering) {
      this.#isAnswering = true;
      this.#events.onStateRequest(({ kind }) => {
        if (kind === 'stop' && this.#isRunning) this.#writeOldest();
      });
    }
    const init = (asyncId: number, type: string, _trigger: number, resource: object): void => {
      if (type === 'PROMISE') return;
      try {
        this.#begin(asyncId, type, resource);
      } catch {
        // The stack has overflowed: in a hook, an error would end the process.
      }
    };
    const hook = createHook({ init, ...WITHOUT_PROMISES }).enable();
    const timer = setInterval(this.#send, INTERVAL_MS).unref();
    this.#later = setTimeout(this.#send, APART_MS).unref();
    this.#send();
    return () => {
      this.#isRunning = false;
      hook.disable();
      clearInterval(timer);
      clearTimeout(this.#later);
      this.#jobs.clear();
      this.#canaries = [];
      this.#hasToldDelay = false;
    };
  }

  #begin(asyncId: number, type: string, resource: object): void {
    const kind = this.#kindOf(type, resource);
    if (kind === '') return;
    const submitted = performance.now();
    const id = runningActivity(sharedActivities());
    if (this.#isToldOfEnds && this.#jobs.size < MAX_JOBS) {
      const isStream = kind === 'zlib';
      const stream = isStream ? new WeakRef(resource) : undefined;
      this.#jobs.set(asyncId, {
        asyncId,
        kind,
        id,
        submitted,
        resource: isStream ? undefined : resource,
        stream,
      });
    }
    if (this.#isAsked) return;
    this.#outside?.runInAsyncScope(this.#ask, undefined, submitted);
  }

  readonly #ask = (submitted: number): void => {
    if (submitted - (this.#canaries.at(-1)?.submitted ?? 0) < APART_MS) this.#later?.refresh();
    else {
      // It comes after all that the running code submits.
      this.#isAsked = true;
      process.nextTick(this.#send);
    }
  };

  #kindOf(type: string, resource: object): string {
    const known = this.#kinds.get(type);
    if (known !== undefined) return known;
    const waker = wakerOfName(resource.constructor?.name ?? '');
    const kind = isOfThreadPool(waker) ? waker : '';
    if (this.#kinds.size < MAX_TYPES) this.#kinds.set(type, kind);
    return kind;
  }

  readonly #send = (): void => {
    this.#isAsked = false;
    const submitted = performance.now();
    const oldest = this.#oldest();
    const apart = oldest === undefined ? 0 : (submitted - oldest.submitted) * APART_SHARE;
    const since = submitted - (this.#canaries.at(-1)?.submitted ?? Number.NEGATIVE_INFINITY);
    if (!this.#isRunning || since < Math.max(APART_MS, apart)) return;
    this.#number = (this.#number + 1) >>> 0;
    const canary: Canary = {
      number: this.#number,
      submitted,
      users: this.#users(),
      jobs: this.#jobs.size,
      delay: theTracer().probeThreadPool(new ThreadPoolCanary(), () => {
        const delay = delayOf(canary);
        const isTelling = delay >= TELLING_MS || this.#hasToldDelay;
        if (!this.#isRunning || (!isTelling && submitted < this.#writtenAt + INTERVAL_MS)) return;
        this.#hasToldDelay = delay >= TELLING_MS;
        this.#write(canary, delay);
      }),
    };
    if (this.#canaries.push(canary) >= 2 * KEPT_CANARIES)
      this.#canaries = this.#canaries.slice(KEPT_CANARIES);
  };

  #oldest(): Canary | undefined {
    return this.#canaries.find(isInQueue);
  }

  /** Who has begun or submitted jobs that are not over, those who use most threads first. */
  #users(): User[] {
    const users = new Map<string, Map<Guid | undefined, User>>();
    const add = (kind: string, id: Guid | undefined, isFirst: boolean) => {
      const ofKind = users.get(kind) ?? new Map<Guid | undefined, User>();
      users.set(kind, ofKind);
      const user = ofKind.get(id) ?? { kind, id, jobs: 0, running: 0 };
      ofKind.set(id, user);
      user.jobs++;
      if (isFirst) user.running++;
    };
    let counted = 0;
    for (const job of this.#jobs.values()) {
      if (isGone(job)) this.#jobs.delete(job.asyncId);
      else if (counted >= MAX_COUNTED) break;
      else if (isPending(job)) add(job.kind, job.id, counted++ < THREADS);
    }
    return [...users.values()]
      .flatMap((ofKind) => [...ofKind.values()])
      .sort((a, b) => b.running - a.running || b.jobs - a.jobs)
      .slice(0, MAX_USERS);
  }

  /** What a trace that ends now would otherwise not say. */
  #writeOldest(): void {
    const oldest = this.#oldest();
    if (oldest === undefined) return;
    const delay = performance.now() - oldest.submitted;
    if (delay >= TELLING_MS) this.#write(oldest, delay);
  }

  #write(canary: Canary, delayMSec: number): void {
    const { number, submitted, users, jobs } = canary;
    const { ThreadPoolDelay, ThreadPoolUse } = this.#events;
    const now = performance.now();
    this.#writtenAt = submitted;
    const fields = {
      number,
      submittedAgoMSec: now - submitted,
      delayMSec,
      isOver: !isInQueue(canary),
      jobs,
    };
    writerOf(ThreadPoolDelay).write(fields, undefined, undefined, undefined);
    if (delayMSec < TELLING_MS) return;
    for (const user of users) {
      const { kind, running } = user;
      const use = { number, kind, jobs: user.jobs, running };
      writerOf(ThreadPoolUse).write(use, user.id, undefined, undefined);
    }
  }
}

function delayOf({ delay }: { readonly delay: Float64Array }): number {
  return delay[0] as number;
}

function isInQueue(canary: { readonly delay: Float64Array }): boolean {
  return Number.isNaN(delayOf(canary));
}

/** Jobs of node:crypto exist for synchronous calls, too, and then have nothing to call back. */
function isGone({ kind, resource, stream }: Job): boolean {
  if (stream !== undefined) return stream.deref() === undefined;
  return (
    kind.startsWith('crypto.') && typeof (resource as { readonly ondone?: unknown }).ondone !== 'function'
  );
}

/** Node.js keeps on a stream of zlib what that works on, without documenting it. */
function isPending({ stream }: Job): boolean {
  return (
    stream === undefined || (stream.deref() as { readonly buffer?: unknown } | undefined)?.buffer != null
  );
}

/** Measures the delay of the queue again and again; of a canary that is still in it, its time so far. @returns ends it */
export function measurePoolDelays(onDelay: (milliseconds: number) => void): () => void {
  if (!theTracer().canProbeThreadPool) return () => {};
  let canary: { readonly submitted: number; readonly delay: Float64Array } | undefined;
  const timer = setInterval(() => {
    const now = performance.now();
    if (canary === undefined) {
      const delay = theTracer().probeThreadPool(new ThreadPoolCanary(), () => {
        canary = undefined;
        onDelay(delayOf({ delay }));
      });
      canary = { submitted: now, delay };
    } else if (isInQueue(canary)) onDelay(now - canary.submitted);
  }, INTERVAL_MS).unref();
  return () => clearInterval(timer);
}
