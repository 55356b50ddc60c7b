/**
 * The memory that all sessions of the agent share: for rings, and for what processes have sent since their last
 * sequence points. When it is used up, the largest ring gives up what is oldest in it.
 */
import { totalmem } from 'node:os';
import type { AgentCounters } from './agent-counters.ts';
import type { Say } from './notices.ts';

export interface Ring {
  /** The size is in bytes. */
  readonly size: number;
  /** Call this only on a ring that is not empty. */
  dropOldest(): void;
}

/** The agent itself without any sessions, and room for a burst. */
const OWN_BYTES = 128e6;
const LEAST_BYTES = 16e6;
const MOST_BYTES = 512e6;

/** The default is half of what the container or the machine leaves: garbage takes about as much as what is held. */
export function defaultMemory(): number {
  const room = Math.min(process.constrainedMemory() || Number.POSITIVE_INFINITY, totalmem()) - OWN_BYTES;
  return Math.min(MOST_BYTES, Math.max(LEAST_BYTES, room / 2));
}

export class MemoryBudget {
  readonly limit: number;
  readonly #counters: AgentCounters;
  readonly #say: Say;
  readonly #rings = new Set<Ring>();

  constructor(limit: number, counters: AgentCounters, say: Say) {
    this.limit = limit;
    this.#counters = counters;
    this.#say = say;
    counters.memoryBudget = limit;
  }

  /** @returns false if there is no room, even without rings */
  take(bytes: number): boolean {
    while (this.#counters.memoryUsed + bytes > this.limit) if (!this.#shrinkRings()) return false;
    this.#counters.memoryUsed += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#counters.memoryUsed -= bytes;
  }

  add(ring: Ring): void {
    this.#rings.add(ring);
  }

  remove(ring: Ring): void {
    this.#rings.delete(ring);
  }

  #shrinkRings(): boolean {
    let largest: Ring | undefined;
    for (const ring of this.#rings) if (ring.size > (largest?.size ?? 0)) largest = ring;
    if (largest === undefined) return false;
    largest.dropOldest();
    this.#say(
      `Rings hold less than their rules say: the ${this.#rings.size} of them have ${Math.round(this.limit / 1e6)} MB of memory in all; see memory.maxBytes.`,
      'memory',
    );
    return true;
  }
}
