/** Observation that counters or instruments need, only while something collects them. */
import type { GroupedCounter, Reading } from './counter-group.ts';

const NOTHING_TO_TELL = (): undefined => undefined;

/** It acts as a counter of an event source that reports nothing; a meter gets it through `accompany`. */
export class Demand implements GroupedCounter {
  readonly #begin: () => () => void;
  #end: (() => void) | undefined;
  #askers = 0;

  /** @param begin starts observing. @returns ends it */
  constructor(begin: () => () => void) {
    this.#begin = begin;
  }

  /** Adds a user. @returns removes it; call it once */
  join(): () => void {
    if (this.#askers++ === 0) this.#end = this.#begin();
    return () => {
      if (--this.#askers === 0) this.#end?.();
    };
  }

  read(): Reading {
    return { take: NOTHING_TO_TELL, end: this.join() };
  }
}
