/**
 * The event sources of this thread, and those who are shown each of them: the ones that are there, and the
 * ones to come. All copies of this package in the thread share them.
 */
import type { Listenable } from './written-event.ts';

/** What is told of sources. Must not throw. */
export interface SourceObserver {
  /** A source is there. */
  onSource(source: Listenable): void;
  /** A source that was shown has been closed: whatever is kept for it can be dropped. */
  onClosed(source: Listenable): void;
}

interface Sources {
  /** In the order in which they were defined. */
  readonly defined: Set<Listenable>;
  observers: readonly SourceObserver[];
}

/** Raised when the shape of what is shared, or of a source for those who listen, changes. */
const KEY = Symbol.for('tracewright.sources.v2');

function sources(): Sources {
  const shared = globalThis as { [KEY]?: Sources };
  shared[KEY] ??= { defined: new Set(), observers: [] };
  return shared[KEY];
}

/** The event sources that were defined in this thread and are not closed, in that order. */
export function eventSources(): readonly Listenable[] {
  return [...sources().defined];
}

export function announceSource(source: Listenable): void {
  const { defined, observers } = sources();
  defined.add(source);
  for (const observer of observers) observer.onSource(source);
}

export function forgetSource(source: Listenable): void {
  const { defined, observers } = sources();
  if (!defined.delete(source)) return;
  for (const observer of observers) observer.onClosed(source);
}

/**
 * Shows the observer each source once: those that are there before this returns, others as they are defined.
 *
 * @returns ends it
 */
export function observeSources(observer: SourceObserver): () => void {
  const shared = sources();
  shared.observers = [...shared.observers, observer];
  for (const source of [...shared.defined]) observer.onSource(source);
  return () => {
    shared.observers = shared.observers.filter((other) => other !== observer);
  };
}
