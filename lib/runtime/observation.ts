/** Observing Node.js for the sake of events, only while somebody wants one of them. */

/** What has to be observed for some events. */
export interface Observation {
  /** Whether somebody wants one of the events now. Is asked often. */
  readonly isWanted: () => boolean;
  /** Begins to observe, and to write events. @returns ends it */
  readonly start: () => () => void;
}

/** Several observations, each of which runs while its events are wanted. */
export class Observations {
  readonly #stopped: Set<Observation>;
  readonly #running = new Map<Observation, () => void>();
  #isUpdating = false;
  #hasChanged = false;

  constructor(observations: readonly Observation[]) {
    this.#stopped = new Set(observations);
  }

  /** Also of one that is being started. */
  isRunning(observation: Observation): boolean {
    return !this.#stopped.has(observation);
  }

  /** Starts those that have come to be wanted, and stops those that nobody wants any more. */
  update(): void {
    this.#hasChanged = true;
    // A listener may come or go in the midst of an event that is written at a start.
    if (this.#isUpdating) return;
    this.#isUpdating = true;
    try {
      while (this.#hasChanged) {
        this.#hasChanged = false;
        this.#stopUnwanted();
        this.#startWanted();
      }
    } finally {
      this.#isUpdating = false;
    }
  }

  #stopUnwanted(): void {
    for (const [observation, stop] of this.#running) {
      if (observation.isWanted()) continue;
      this.#running.delete(observation);
      this.#stopped.add(observation);
      stop();
    }
  }

  #startWanted(): void {
    for (const observation of this.#stopped) {
      if (!observation.isWanted()) continue;
      this.#stopped.delete(observation);
      this.#running.set(observation, observation.start());
    }
  }
}
