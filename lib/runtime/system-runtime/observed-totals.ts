/** What Node.js reports only to observers: collections, and uncaught exceptions. */
import { CollectionKind, observeCollections } from '../collection-entries.ts';
import { observeUncaughtExceptions } from '../exceptions.ts';

/** Totals over all periods of observation. */
export class ObservedTotals {
  /** Collections of only the young generation. */
  youngCollections = 0;
  /** Collections of the whole heap. */
  fullCollections = 0;
  /** The time in which JavaScript was paused for them. */
  pauseMilliseconds = 0;
  exceptions = 0;

  /** @returns ends it */
  observe(): () => void {
    const endCollections = observeCollections(({ detail, duration }) => {
      this.#countCollection(detail?.kind);
      this.pauseMilliseconds += duration;
    });
    const endExceptions = observeUncaughtExceptions(() => this.exceptions++);
    return () => {
      endCollections();
      endExceptions();
    };
  }

  /** Incremental marking and callbacks are parts of a collection. */
  #countCollection(kind: number | undefined): void {
    if (kind === CollectionKind.MarkSweepCompact) this.fullCollections++;
    else if (kind === CollectionKind.Scavenge || kind === CollectionKind.MinorMarkSweep)
      this.youngCollections++;
  }
}
