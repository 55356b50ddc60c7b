/** Garbage collections of this thread, as V8 reports them to Node.js: each some time after it has ended. */
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

/**
 * The kind of collection.
 *
 * Source: V8's GCType in v8-callbacks.h; Node.js documents `performanceEntry.detail` with the same numbers.
 */
export const CollectionKind = {
  Scavenge: 1,
  MinorMarkSweep: 2,
  MarkSweepCompact: 4,
  IncrementalMarking: 8,
  WeakCallbacks: 16,
} as const;

/** What an entry of type `gc` has besides the times. */
export interface CollectionEntry extends PerformanceEntry {
  readonly detail?: { readonly kind?: number; readonly flags?: number };
}

/** Calls the function for each collection from now on. @returns ends it */
export function observeCollections(onEntry: (entry: CollectionEntry) => void): () => void {
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(onEntry));
  observer.observe({ type: 'gc' });
  return () => observer.disconnect();
}
