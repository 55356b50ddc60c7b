/** The threads and processes whose events have been seen. */
import type { TraceEvent } from '../../trace/trace-event.ts';

/** A trace can have any number. */
const MAX_THREADS = 1 << 17;

interface SeenThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** The time of its first event. */
  readonly first: bigint;
  events: number;
}

export class SeenThreads {
  readonly #threads = new Map<string, SeenThread>();
  #last: SeenThread | undefined;

  [Symbol.iterator](): Iterator<SeenThread> {
    return this.#threads.values();
  }

  add({ processId, threadId }: TraceEvent, time: bigint): void {
    let thread = this.#last;
    if (thread === undefined || thread.threadId !== threadId || thread.processId !== processId) {
      thread = this.#threadOf(processId, threadId, time);
      this.#last = thread;
    }
    if (thread !== undefined) thread.events++;
  }

  /** Maps each process to the time of its first event. */
  get firstOfProcesses(): Map<number, bigint> {
    const firsts = new Map<number, bigint>();
    for (const { processId, first } of this.#threads.values()) {
      if (processId !== undefined && !firsts.has(processId)) firsts.set(processId, first);
    }
    return firsts;
  }

  #threadOf(
    processId: number | undefined,
    threadId: number | undefined,
    time: bigint,
  ): SeenThread | undefined {
    const key = `${processId} ${threadId}`;
    let thread = this.#threads.get(key);
    if (thread === undefined && this.#threads.size < MAX_THREADS) {
      thread = { processId, threadId, first: time, events: 0 };
      this.#threads.set(key, thread);
    }
    return thread;
  }
}
