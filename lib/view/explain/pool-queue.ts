/** Who filled the thread pool of a process while work waited in its queue, from the events of its canaries. */
import type { TraceEvent } from '../../trace/trace-event.ts';

/** The canary waited in the queue, behind what others had submitted. */
interface Canary {
  readonly number: number;
  readonly threadId: number | undefined;
  readonly startNs: number;
  readonly endNs: number;
  readonly users: { readonly name: string; readonly jobs: number; readonly running: number }[];
}

/** The time in the queue, as a state. */
export interface Queued {
  readonly state: 'threadPool';
  readonly what: string;
  /** How many jobs filled it; 0 if that is unknown. */
  readonly jobs: number;
}

const NS_PER_MS = 1e6;
const KEPT = 1000;
const MAX_USERS = 8;
const IN_QUEUE = 'its queue, filled by ';
const OTHERS = 'other threads or addons';

export class PoolQueue {
  /** The order is that of the events. */
  #canaries: Canary[] = [];

  addDelay({ nsSinceStart, threadId, payload }: TraceEvent): void {
    const { number, submittedAgoMSec, delayMSec } = payload;
    const startNs = nsSinceStart - Number(submittedAgoMSec) * NS_PER_MS;
    const endNs = startNs + Number(delayMSec) * NS_PER_MS;
    if (!(endNs > startNs)) return;
    this.#canaries.push({ number: Number(number), threadId, startNs, endNs, users: [] });
    if (this.#canaries.length >= 2 * KEPT) this.#canaries = this.#canaries.slice(KEPT);
  }

  /** @param label the name of the activity's kind that submitted the jobs */
  addUse({ threadId, payload }: TraceEvent, label: string): void {
    const number = Number(payload.number);
    const canary = this.#canaries.findLast((each) => each.threadId === threadId && each.number === number);
    if (canary === undefined || canary.users.length >= MAX_USERS) return;
    const { kind, jobs, running } = payload;
    canary.users.push({ name: `${kind} of ${label}`, jobs: Number(jobs), running: Number(running) });
  }

  /** The wait in the queue between the two times. */
  queuedBetween(startNs: number, endNs: number): Queued {
    const users = new Map<string, { running: number; jobs: number }>();
    for (let i = this.#canaries.length - 1; i >= 0; i--) {
      const canary = this.#canaries[i] as Canary;
      if (canary.endNs <= startNs) break;
      if (canary.startNs >= endNs) continue;
      for (const { name, jobs, running } of canary.users) {
        const user = users.get(name) ?? { running: 0, jobs: 0 };
        users.set(name, { running: user.running + running, jobs: Math.max(user.jobs, jobs) });
      }
    }
    const [most] = [...users].sort(([, a], [, b]) => b.running - a.running || b.jobs - a.jobs);
    const [name = OTHERS, jobs = 0] = most === undefined ? [] : [most[0], most[1].jobs];
    return { state: 'threadPool', what: `${IN_QUEUE}${name}`, jobs };
  }
}

/** Who filled the queue, if the reason of a wait for the pool is its queue. */
export function fillerIn(what: string): string | undefined {
  return what.startsWith(IN_QUEUE) ? what.slice(IN_QUEUE.length) : undefined;
}

/** The reason with the number of jobs. */
export function queueText(what: string, jobs: number): string {
  const filler = fillerIn(what);
  return filler === undefined || jobs === 0 ? what : `${IN_QUEUE}${jobs} ${filler}`;
}
