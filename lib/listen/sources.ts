/**
 * The event sources of this thread, and the observers of present and future sources. Shared by all copies of this
 * package in the thread.
 */
import type { Listenable } from './written-event.ts';

/** Is notified of sources. Must not throw. */
interface SourceObserver {
  /** A source exists. */
  onSource(source: Listenable): void;
  /** A known source has been closed: anything kept for it can be dropped. */
  onClosed(source: Listenable): void;
}

interface Sources {
  /** The order is that of definition. */
  readonly defined: Set<Listenable>;
  observers: readonly SourceObserver[];
}

/** Incremented when the shape of the shared state, or of a source for its listeners, changes. */
const KEY = Symbol.for('tracewright.sources.v2');

function sources(): Sources {
  const shared = globalThis as { [KEY]?: Sources };
  shared[KEY] ??= { defined: new Set(), observers: [] };
  return shared[KEY];
}

/** The open event sources of this thread, in order of definition. */
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
 * Shows the observer each source once: existing ones before this returns, others as they are defined.
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
