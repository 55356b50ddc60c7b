/**
 * The ids of a provider's events, for the whole process: readers distinguish a provider's events by id, whichever
 * thread wrote them. An id has one layout as long as it is in use.
 */
import { loadAddon } from './addon.ts';

/** Larger ids are reserved for events that describe the provider itself. */
export const LAST_EVENT_ID = 0xfffd;

interface EventIds {
  /**
   * Registers the caller as a user of the id for the layout.
   *
   * @param keys what formats identify the provider by; the id is claimed under all of them
   * @param layout the event as text; layouts are only compared
   * @returns the layout that already has the id; undefined if the caller may use the id
   */
  claim(keys: readonly string[], layout: string, id: number): string | undefined;
  /**
   * Registers the caller as a user of an id for the layout: the one it already has, otherwise `wanted`, otherwise the
   * nearest free one from `next`.
   *
   * @returns 0 if all ids are in use
   */
  take(keys: readonly string[], layout: string, wanted: number, next: number, downwards: boolean): number;
  /** Removes one user. An id without users is free again. */
  release(keys: readonly string[], id: number): void;
}

interface Owner {
  readonly layout: string;
  users: number;
}

/** Numbers the events of a single thread, without the addon. */
export class ThreadEventIds implements EventIds {
  readonly #spaces = new Map<string, Map<number, Owner>>();

  claim(keys: readonly string[], layout: string, id: number): string | undefined {
    for (const key of keys) {
      const owner = this.#spaces.get(key)?.get(id);
      if (owner !== undefined && owner.layout !== layout) return owner.layout;
    }
    for (const key of keys) {
      const space = this.#spaces.get(key) ?? new Map<number, Owner>();
      this.#spaces.set(key, space);
      const owner = space.get(id);
      if (owner === undefined) space.set(id, { layout, users: 1 });
      else owner.users++;
    }
    return undefined;
  }

  take(keys: readonly string[], layout: string, wanted: number, next: number, downwards: boolean): number {
    for (const id of this.#candidates(keys, layout, wanted, next, downwards)) {
      if (this.claim(keys, layout, id) === undefined) return id;
    }
    return 0;
  }

  release(keys: readonly string[], id: number): void {
    for (const key of keys) {
      const space = this.#spaces.get(key);
      const owner = space?.get(id);
      if (space === undefined || owner === undefined || --owner.users > 0) continue;
      space.delete(id);
      if (space.size === 0) this.#spaces.delete(key);
    }
  }

  *#candidates(
    keys: readonly string[],
    layout: string,
    wanted: number,
    next: number,
    downwards: boolean,
  ): Generator<number, void, undefined> {
    for (const key of keys) {
      for (const [id, owner] of this.#spaces.get(key) ?? []) if (owner.layout === layout) yield id;
    }
    yield wanted;
    const first = Math.min(Math.max(next, 1), LAST_EVENT_ID);
    for (let tried = 0; tried < LAST_EVENT_ID; tried++) {
      const step = downwards ? first - 1 - tried + LAST_EVENT_ID : first - 1 + tried;
      yield (step % LAST_EVENT_ID) + 1;
    }
  }
}

/** Incremented when the shape of the shared state, or of layouts and keys, changes. */
const KEY = Symbol.for('tracewright.eventIds.v1');

/** All copies of this package in a thread share them; with the addon, all threads do. */
export function theEventIds(): EventIds {
  const shared = globalThis as { [KEY]?: EventIds };
  shared[KEY] ??= newEventIds();
  return shared[KEY];
}

function newEventIds(): EventIds {
  const addon = loadAddon();
  if ('reason' in addon) return new ThreadEventIds();
  return { claim: addon.claimEventId, take: addon.takeEventId, release: addon.releaseEventId };
}
