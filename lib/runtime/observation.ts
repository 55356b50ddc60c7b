/** Observes Node.js for events, only while one of them is enabled. */
import { type Filtered, passes } from '../listen/filter.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import { TRACER_BIT } from '../platform/tracer.ts';
import type { EventWriter } from '../source/event-writer.ts';

/** What must be observed for some events. */
export interface Observation {
  /** Whether one of the events is currently enabled. Called often. */
  readonly isWanted: () => boolean;
  /** Starts observing and writing events. @returns ends it */
  readonly start: () => () => void;
}

/**
 * Whether a tracer records the event, or a listener or session asks for it by its keywords. Listeners that name none get
 * such events, but do not cause them.
 *
 * @param isNaming whether a request with these keywords asks for the event, rather than for everything
 */
export function isAskedFor(
  source: Listenable,
  writer: EventWriter,
  event: Filtered,
  isNaming: (keywords: bigint) => boolean = () => true,
): boolean {
  if (((writer.words[writer.index] as number) & TRACER_BIT) !== 0) return true;
  for (const request of subscriptionsOf(source).requests.values()) {
    const { keywords = 0n } = request;
    if (keywords !== 0n && isNaming(keywords) && passes(event, request)) return true;
  }
  return false;
}

/** Several observations, each of which runs while its events are enabled. */
export class Observations {
  readonly #stopped: Set<Observation>;
  readonly #running = new Map<Observation, () => void>();
  #isUpdating = false;
  #hasChanged = false;

  constructor(observations: readonly Observation[]) {
    this.#stopped = new Set(observations);
  }

  /** An observation that is being started counts as running. */
  isRunning(observation: Observation): boolean {
    return !this.#stopped.has(observation);
  }

  /** Starts those that have become enabled, and stops those that no longer are. */
  update(): void {
    this.#hasChanged = true;
    // A listener may come or go during an event that is written at the start.
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
