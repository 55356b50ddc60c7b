/**
 * Which activity a thread runs: notices each change, so that CPU time can be charged to activities. Only while somebody
 * asks for it, because the hook takes some time for each callback and `await`.
 */
import type { Guid } from './guid.ts';
import { runningActivity, type SharedActivities } from './shared.ts';

/** The event source, event, keyword and level of activity switches. */
export const ACTIVITY_SWITCH = {
  provider: 'Node.Runtime',
  name: 'ActivitySwitch',
  keyword: 0x10n,
  /**
   * The level is above Verbose: who wants everything does not get activity switches, of which there may be thousands a
   * second.
   */
  level: 6,
} as const;

/** Shorter runs count for the one before, in milliseconds. */
const MERGED_MS = 0.05;

/**
 * @param id of the activity that the thread now runs; undefined for none
 * @param agoMs how long it has been running
 */
type WriteSwitch = (id: Guid | undefined, agoMs: number) => void;

export class ActivitySwitches {
  readonly #shared: SharedActivities;
  readonly #write: WriteSwitch;
  readonly #now: () => number;
  #running: Guid | undefined;
  #runningSince: number;
  #written: Guid | undefined;
  #writtenSince: number;
  #isWriting = false;

  /** Writes what runs now. @param now a clock in milliseconds */
  constructor(shared: SharedActivities, write: WriteSwitch, now = () => performance.now()) {
    this.#shared = shared;
    this.#write = write;
    this.#now = now;
    this.#running = runningActivity(this.#shared);
    this.#runningSince = now();
    this.#written = this.#running;
    this.#writtenSince = this.#runningSince;
    this.#writeSafely(this.#running, 0);
  }

  /** Observes the thread. @returns ends it, and writes what has not been written yet */
  observe(): () => void {
    const end = this.#shared.flow.observeSwitches(() => this.check());
    return () => {
      end();
      this.#writeLate(this.#now());
    };
  }

  /** Call this whenever another activity may run. Never throws: in a hook, that would end the process. */
  check(): void {
    try {
      const id = runningActivity(this.#shared);
      if (id !== this.#running && !this.#isWriting) this.#switchTo(id);
    } catch {
      // The stack has overflowed: the next call notices the switch.
    }
  }

  #switchTo(id: Guid | undefined): void {
    const now = this.#now();
    this.#writeLate(now);
    this.#running = id;
    this.#runningSince = now;
    // Otherwise it is written when it has run long enough: most often, it will not have.
    if (id !== this.#written && now - this.#writtenSince >= MERGED_MS) this.#writeRunning(now);
  }

  /** Writes what runs unless that is known, or was too short. */
  #writeLate(now: number): void {
    if (this.#running !== this.#written && now - this.#runningSince >= MERGED_MS) this.#writeRunning(now);
  }

  #writeRunning(now: number): void {
    this.#written = this.#running;
    this.#writtenSince = this.#runningSince;
    this.#writeSafely(this.#running, now - this.#runningSince);
  }

  /** A listener may itself start activities. */
  #writeSafely(id: Guid | undefined, agoMs: number): void {
    this.#isWriting = true;
    try {
      this.#write(id, agoMs);
    } finally {
      this.#isWriting = false;
    }
  }
}
