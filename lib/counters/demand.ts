/** What has to be observed for the sake of counters or instruments, only while somebody asks for them. */
import type { GroupedCounter, Reading } from './counter-group.ts';

const NOTHING_TO_TELL = (): undefined => undefined;

/** Among the counters of an event source it is one that tells nothing; to a meter it is given by `accompany`. */
export class Demand implements GroupedCounter {
  readonly #begin: () => () => void;
  #end: (() => void) | undefined;
  #askers = 0;

  /** @param begin observes from now on. @returns ends it */
  constructor(begin: () => () => void) {
    this.#begin = begin;
  }

  /** Somebody asks. @returns to be called once, when they ask no more */
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
