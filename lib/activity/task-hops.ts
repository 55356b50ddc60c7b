/**
 * The runs of activities as tasks of .NET's task library, for PerfView and TraceEvent. They charge time to the activity
 * of a thread's task, and give a task the activity whose Start was last written in the task that scheduled it. Without
 * tasks, a thread is in the activity that started last, so that concurrent requests of one thread appear nested.
 *
 * Source: TraceEvent's ActivityComputer and StartStopActivityComputer.
 */
import type { Guid } from './guid.ts';
import { runningActivity, type SharedActivities } from './shared.ts';

/** .NET's event source of tasks. */
export const TASK_EVENTS = {
  provider: 'System.Threading.Tasks.TplEventSource',
  guid: '2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5',
  /** TasksFlowActivityIds: makes .NET and tracewright flow activity ids. */
  flowKeyword: 0x80n,
  /** These keywords also select the tasks themselves: TaskTransfer, Tasks and TaskStops. */
  taskKeywords: 0xc3n,
} as const;

interface TaskEvents {
  /** @param id of the activity in which it is written; undefined for none */
  scheduled(task: number, id: Guid | undefined): void;
  started(task: number, id: Guid | undefined): void;
  completed(task: number, id: Guid | undefined): void;
}

/** Stands for the code outside of activities. */
const OUTSIDE = {};

/** Task ids are positive 32-bit numbers: 10 bits for the thread, and 21 for the task. */
const COUNTER_BITS = 21;
const THREADS = 1 << 10;

export class TaskHops {
  readonly #shared: SharedActivities;
  readonly #events: TaskEvents;
  readonly #threadBits: number;
  #lastTask = 0;
  /**
   * The key is an activity or `OUTSIDE`; the value is the task of its next run, scheduled while it was last running.
   */
  readonly #next = new WeakMap<object, number>();
  #running: Guid | undefined;
  #task: number | undefined;
  #isWriting = false;

  constructor(shared: SharedActivities, events: TaskEvents, threadId: number) {
    this.#shared = shared;
    this.#events = events;
    this.#threadBits = (threadId % THREADS) << COUNTER_BITS;
  }

  /** Observes the thread. @returns ends it */
  observe(): () => void {
    const end = this.#shared.flow.observeSwitches(() => this.check());
    this.#safely(() => this.#switchTo(runningActivity(this.#shared), false));
    return () => {
      end();
      this.#safely(() => this.#complete());
    };
  }

  /** Call this whenever another activity may run. */
  check(): void {
    const id = runningActivity(this.#shared);
    if (id === this.#running || this.#isWriting) return;
    const { activity } = this.#shared.flow.context ?? {};
    const isChild = activity?.id === id && activity?.relatedActivityId === this.#running;
    this.#safely(() => this.#switchTo(id, isChild));
  }

  /** @param isChild whether it may have just been started by what runs */
  #switchTo(id: Guid | undefined, isChild: boolean): void {
    const key = id ?? OUTSIDE;
    let task = this.#next.get(key);
    if (task === undefined) {
      // Scheduled outside of all tasks, it has no activity.
      if (!isChild) this.#complete();
      task = this.#schedule(id);
    }
    this.#complete();
    this.#task = task;
    this.#running = id;
    this.#events.started(task, id);
    this.#next.set(key, this.#schedule(id));
  }

  #schedule(id: Guid | undefined): number {
    this.#lastTask = (this.#lastTask + 1) & ((1 << COUNTER_BITS) - 1);
    const task = this.#threadBits | this.#lastTask;
    this.#events.scheduled(task, id);
    return task;
  }

  #complete(): void {
    if (this.#task !== undefined) this.#events.completed(this.#task, this.#running);
    this.#task = undefined;
  }

  /** A listener may itself start activities. */
  #safely(write: () => void): void {
    this.#isWriting = true;
    try {
      write();
    } finally {
      this.#isWriting = false;
    }
  }
}
