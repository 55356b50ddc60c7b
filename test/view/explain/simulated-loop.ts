/**
 * A program on a simulated event loop, which knows what each of its activities really waited for, and the events that
 * Node.js and tracewright write about it.
 */
import type { State } from '../../../lib/view/explain/states.ts';
import type { WrittenEvent } from '../written-events.ts';

/** Nanoseconds by state; also by `held` and what ran meanwhile. */
export type Truth = Map<string, number>;

export interface Simulated {
  readonly events: WrittenEvent[];
  /** By path. */
  readonly truths: ReadonlyMap<string, Truth>;
}

const NS_PER_MS = 1e6;
const OUTSIDE = 'code outside of activities';

interface Work {
  readonly path: string;
  readonly task: string;
  readonly truth: Truth;
  stepsLeft: number;
  /** Undefined before its first run. */
  waitSince: number | undefined;
  children: number;
  /** Those it waits for now. */
  pending: Set<string>;
}

interface Callback {
  readonly work: Work | undefined;
  readonly waker: string;
  readonly readyAt: number;
  /** The call whose end this is. */
  readonly call?: { readonly path: string; readonly startedAt: number };
}

/** A source of numbers that is the same for the same seed. */
export function random(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2246822519) + 0x9e3779b9) | 0;
    const mixed = Math.imul(state ^ (state >>> 13), 3266489917);
    return ((mixed ^ (mixed >>> 16)) >>> 0) % below;
  };
}

export class SimulatedLoop {
  readonly #next: (below: number) => number;
  readonly #events: { readonly atNs: number; readonly event: WrittenEvent }[] = [];
  readonly #truths = new Map<string, Truth>();
  #waiting: Callback[] = [];
  #now = 0;
  #polledBefore = 0;
  #polled = 0;
  #number = 0;
  #works = 0;
  /** Written when the next callback begins. */
  #pendingRun: ((nowNs: number) => void) | undefined;
  /** What the thread ran since the start, for the truth of those that were ready. */
  readonly #ran: { readonly from: number; readonly to: number; readonly label: string }[] = [];

  constructor(seed: number) {
    this.#next = random(seed);
  }

  simulate(works: number): Simulated {
    this.#run(undefined, '', 0, 0, 0, 1000);
    for (let i = 0; i < works; i++) {
      const readyAt = this.#some(works * 20);
      this.#waiting.push({ work: undefined, waker: this.#next(4) === 0 ? 'timer' : 'http.server', readyAt });
    }
    while (this.#waiting.length > 0) this.#turn();
    this.#now += NS_PER_MS;
    this.#pendingRun?.(this.#now);
    this.#events.sort((a, b) => a.atNs - b.atNs);
    return { events: this.#events.map(({ event }) => event), truths: this.#truths };
  }

  /** Up to so many milliseconds, in whole microseconds. */
  #some(ms: number): number {
    return (1 + this.#next(ms * 1000)) * 1000;
  }

  #turn(): void {
    const isPolled = ({ waker }: Callback) => waker !== 'timer';
    const isReady = ({ readyAt }: Callback) => readyAt <= this.#now;
    if (!this.#waiting.some(isReady)) {
      const wakeAt = Math.min(...this.#waiting.map(({ readyAt }) => readyAt));
      // A wait of less than 50 us is not noticed.
      this.#now = Math.max(wakeAt, this.#now + 60_000);
      this.#polled = this.#polledBefore = this.#now;
      this.#waiting = this.#waiting.map((each) =>
        isPolled(each) ? { ...each, readyAt: Math.max(each.readyAt, this.#now) } : each,
      );
    } else {
      this.#polledBefore = this.#polled;
      this.#polled = this.#now;
    }
    const polled = this.#take((each) => isPolled(each) && isReady(each));
    for (const callback of polled) this.#call(callback);
    for (const callback of this.#take((each) => !isPolled(each) && isReady(each))) this.#call(callback);
    // A turn takes some time.
    this.#now += 1000;
  }

  #take(isTaken: (callback: Callback) => boolean): Callback[] {
    const taken = this.#waiting.filter(isTaken).sort((a, b) => a.readyAt - b.readyAt);
    this.#waiting = this.#waiting.filter((each) => !taken.includes(each));
    return taken;
  }

  #call(callback: Callback): void {
    const { waker, readyAt } = callback;
    const startNs = this.#now;
    const isTimer = waker === 'timer';
    const late = startNs - (isTimer ? readyAt : this.#polled);
    const lateAtMost = startNs - (isTimer ? readyAt : Math.min(this.#polled, this.#polledBefore));
    const durationNs = this.#next(5) === 0 ? this.#some(60) : 60_000 + this.#some(2);
    let { work } = callback;
    if (work === undefined && waker === 'http.server') work = this.#begin(startNs);
    this.#run(work, waker, startNs, late, lateAtMost, durationNs);
    this.#now += durationNs;
    this.#ran.push({ from: startNs, to: this.#now, label: work?.task ?? OUTSIDE });
    if (work === undefined) return;
    if (callback.call !== undefined) {
      work.pending.delete(callback.call.path);
      this.#write(startNs, {
        name: 'Node.Database/CommandStop',
        id: callback.call.path,
        at: startNs / NS_PER_MS,
      });
    }
    this.#account(work, callback, startNs, durationNs);
    if (work.pending.size === 0) this.#continue(work);
    work.waitSince = this.#now;
  }

  #begin(startNs: number): Work {
    const path = `//1/${++this.#works}`;
    const truth: Truth = new Map();
    this.#truths.set(path, truth);
    const task = `Work${this.#next(4)}`;
    this.#write(startNs, { name: `${task}Start`, id: path, at: startNs / NS_PER_MS });
    return {
      path,
      task,
      truth,
      stepsLeft: 1 + this.#next(5),
      waitSince: undefined,
      children: 0,
      pending: new Set(),
    };
  }

  /** What it does after its run: it waits for something, or has ended. */
  #continue(work: Work): void {
    const now = this.#now;
    if (work.stepsLeft-- === 0) {
      this.#write(now, { name: `${work.task}Stop`, id: work.path, at: now / NS_PER_MS });
      return;
    }
    const kind = this.#next(5);
    if (kind <= 1)
      this.#waiting.push({ work, waker: kind === 0 ? 'timer' : 'fs', readyAt: now + this.#some(50) });
    else if (kind === 2) this.#waiting.push({ work, waker: 'socket', readyAt: now + this.#some(50) });
    else {
      // Calls at the same time: it runs whenever one has ended.
      for (let calls = kind === 3 ? 1 : 1 + this.#next(4); calls > 0; calls--) {
        const path = `${work.path}/${++work.children}`;
        work.pending.add(path);
        this.#write(now, {
          name: 'Node.Database/CommandStart',
          id: path,
          at: now / NS_PER_MS,
          payload: { text: `query ${this.#next(3) + 1}x` },
        });
        this.#waiting.push({
          work,
          waker: 'socket',
          readyAt: now + this.#some(50),
          call: { path, startedAt: now },
        });
      }
    }
  }

  #account(
    { truth, waitSince }: Work,
    { waker, readyAt, call }: Callback,
    startNs: number,
    ranNs: number,
  ): void {
    add(truth, 'running', ranNs);
    if (waitSince === undefined) return;
    const ready = Math.min(Math.max(readyAt, waitSince), startNs);
    const state: State = call !== undefined ? 'child' : (STATES[waker] ?? 'unknown');
    add(truth, state, ready - waitSince);
    add(truth, 'held', startNs - ready);
    for (const { from, to, label } of this.#ran) {
      const ns = Math.min(to, startNs) - Math.max(from, ready);
      if (ns > 0) truth.set(`held ${label}`, (truth.get(`held ${label}`) ?? 0) + ns);
    }
  }

  /** As `ActivityRuns` writes it: when the next callback begins. */
  #run(
    work: Work | undefined,
    waker: string,
    startNs: number,
    late: number,
    lateAtMost: number,
    durationNs: number,
  ): void {
    this.#pendingRun?.(startNs);
    const number = ++this.#number;
    const cpuMSec = durationNs / NS_PER_MS;
    this.#pendingRun = (nowNs) =>
      this.#write(nowNs, {
        name: 'Node.Runtime/ActivityRun',
        at: nowNs / NS_PER_MS,
        ...(work === undefined ? {} : { id: work.path }),
        payload: {
          number,
          startedAgoMSec: (nowNs - startNs) / NS_PER_MS,
          durationMSec: durationNs / NS_PER_MS,
          cpuMSec,
          wokenBy: waker,
          isOwnCallback: true,
          lateMSec: late / NS_PER_MS,
          lateAtMostMSec: lateAtMost / NS_PER_MS,
        },
      });
  }

  #write(atNs: number, event: WrittenEvent): void {
    this.#events.push({ atNs, event });
  }
}

const STATES: Readonly<Record<string, State>> = { timer: 'timer', fs: 'threadPool', socket: 'otherSide' };

function add(truth: Truth, state: State, ns: number): void {
  truth.set(state, (truth.get(state) ?? 0) + ns);
}
