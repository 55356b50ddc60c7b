/**
 * The event sources of this thread, and those who are shown each of them: the ones that are there, and the
 * ones to come. All copies of this package in the thread share them.
 */
import type { Listenable } from './subscriptions.ts';

/** Is shown a source. Must not throw. */
export type SourceObserver = (source: Listenable) => void;

interface Sources {
  readonly defined: Listenable[];
  observers: readonly SourceObserver[];
}

/** Raised when the shape of what is shared, or of a source for those who listen, changes. */
const KEY = Symbol.for('tracewright.sources.v1');

function sources(): Sources {
  const shared = globalThis as { [KEY]?: Sources };
  shared[KEY] ??= { defined: [], observers: [] };
  return shared[KEY];
}

/** The event sources that were defined in this thread, in that order. */
export function eventSources(): readonly Listenable[] {
  return [...sources().defined];
}

export function announceSource(source: Listenable): void {
  const { defined, observers } = sources();
  defined.push(source);
  for (const observer of observers) observer(source);
}

/**
 * Shows the observer each source once: those that are there before this returns, others as they are defined.
 *
 * @returns ends it
 */
export function observeSources(observer: SourceObserver): () => void {
  const shared = sources();
  shared.observers = [...shared.observers, observer];
  for (const source of [...shared.defined]) observer(source);
  return () => {
    shared.observers = shared.observers.filter((other) => other !== observer);
  };
}
