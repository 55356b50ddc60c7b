/**
 * Activities while nobody records, for applications that put their ids into log lines or pass them on, and for
 * `tracewright now`.
 */
import { sharedActivities } from '../activity/shared.ts';
import { namedCommand } from '../listen/commands.ts';
import { observeSources } from '../listen/sources.ts';
import { subscriptionsOf } from '../listen/subscriptions.ts';
import type { Listenable } from '../listen/written-event.ts';
import { allActivityEventsOf } from './activity-events.ts';

/** Keeps activities alive until it is closed. */
export interface KeptActivities {
  /** From now on, activities exist only while somebody wants their events. */
  close(): void;
  [Symbol.dispose](): void;
}

/** Everything that keeps activities in this thread. */
const keepers = new Set<object>();

/**
 * Makes the activities of this thread begin and end even while nobody wants their events, so that their ids are
 * available for log lines and `traceHeaders`. Nothing is written. On Node.js 20 and 22 this slows down each `await` in
 * the process; see "Ids while nobody records" in docs/logs.md.
 */
export function keepActivities(): KeptActivities {
  const { flow } = sharedActivities();
  const keeper = {};
  const kept = new Set<Listenable>();
  keepers.add(keeper);
  flow.begin();
  const release = flow.keepWhile(() => true);
  const endOwners = flow.keepOwners();
  const stopObserving = observeSources({
    onSource: (source) => {
      if (!setKept(source, true)) return;
      kept.add(source);
      // For handlers that observe Node.js to create activities.
      subscriptionsOf(source).send(namedCommand('enable'), keeper);
    },
    onClosed: (source) => {
      if (kept.delete(source)) setKept(source, false);
    },
  });
  const close = () => {
    if (!keepers.delete(keeper)) return;
    stopObserving();
    endOwners();
    release();
    for (const source of kept) {
      if (keepers.size === 0) setKept(source, false);
      subscriptionsOf(source).send(namedCommand('disable'), keeper);
    }
  };
  return { close, [Symbol.dispose]: close };
}

/** @returns whether the source has activities */
function setKept(source: Listenable, isKept: boolean): boolean {
  const activities = allActivityEventsOf(source);
  for (const activity of activities.values()) activity.keep(isKept);
  return activities.size > 0;
}
