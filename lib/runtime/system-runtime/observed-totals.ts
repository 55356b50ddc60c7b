/** What Node.js tells only to those who watch: collections, and exceptions that nobody caught. */
import { CollectionKind, observeCollections } from '../collection-entries.ts';
import { observeUncaughtExceptions } from '../exceptions.ts';

/** Totals over all times in which somebody asked. */
export class ObservedTotals {
  /** Collections of the young generation alone. */
  youngCollections = 0;
  /** Collections of the whole heap. */
  fullCollections = 0;
  /** In which JavaScript stood still for them. */
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

  /** Marking in steps, and callbacks, are parts of a collection. */
  #countCollection(kind: number | undefined): void {
    if (kind === CollectionKind.MarkSweepCompact) this.fullCollections++;
    else if (kind === CollectionKind.Scavenge || kind === CollectionKind.MinorMarkSweep)
      this.youngCollections++;
  }
}
