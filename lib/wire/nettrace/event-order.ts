/**
 * Sorts events of several threads by time. The events of each thread are in order; events of different threads are held
 * back until the trace says that nothing older can follow. Events with equal times stay in trace order.
 */

import { Heap, type HeapItem } from '../../base/heap.ts';
import { TraceError } from '../trace-error.ts';
import type { NetTraceEvent } from './event.ts';

/**
 * The maximum number of waiting events, which bounds memory: they take about 200 bytes each. The runtime starts each
 * run of events with one that nothing older follows, so only a few thousand wait at a time.
 */
export const MAX_WAITING = 2_000_000;

/** The maximum size of their blocks, each of which is retained as long as one of its events waits. */
const MAX_WAITING_BYTES = 512 * 1024 * 1024;

/** Once this many events have left a queue, moving the others is worthwhile. */
const COMPACT_FROM = 1024;

/** The waiting events of one thread, oldest first. */
export class EventQueue implements HeapItem {
  heapIndex = -1;
  #events: NetTraceEvent[] = [];
  #first = 0;

  get front(): NetTraceEvent | undefined {
    return this.#events[this.#first];
  }

  push(event: NetTraceEvent): void {
    this.#events.push(event);
  }

  shift(): void {
    this.#first++;
    const isEmpty = this.#first === this.#events.length;
    if (!isEmpty && (this.#first < COMPACT_FROM || this.#first * 2 < this.#events.length)) return;
    this.#events = isEmpty ? [] : this.#events.slice(this.#first);
    this.#first = 0;
  }
}

export class EventOrder {
  /** The queues that are not empty. */
  readonly #queues = new Heap<EventQueue>(isBefore);
  /** How many events are held back. */
  waiting = 0;
  #waitingBytes = 0;

  /** @throws TraceError if too many are already waiting */
  add(queue: EventQueue, event: NetTraceEvent): void {
    if (this.waiting === MAX_WAITING) {
      const reason = `More than ${MAX_WAITING} events are waiting for one that nothing older follows.`;
      throw new TraceError('unsupported', event.position, reason);
    }
    const { block } = event;
    if (block.waiting++ === 0) {
      this.#waitingBytes += block.bytes.length;
      if (this.#waitingBytes > MAX_WAITING_BYTES) {
        const reason = `More than ${MAX_WAITING_BYTES >> 20} MB of blocks have events that are waiting for one that nothing older follows.`;
        throw new TraceError('unsupported', event.position, reason);
      }
    }
    this.waiting++;
    const wasEmpty = queue.front === undefined;
    queue.push(event);
    if (wasEmpty) this.#queues.add(queue);
  }

  /** Moves everything older than this time to `released`. */
  releaseBefore(high: number, low: number, released: NetTraceEvent[]): void {
    for (let queue = this.#queues.first; queue !== undefined; queue = this.#queues.first) {
      const event = queue.front as NetTraceEvent;
      if (event.timeHigh > high || (event.timeHigh === high && event.timeLow >= low)) return;
      this.#release(queue, event, released);
    }
  }

  /** Moves everything. */
  releaseAll(released: NetTraceEvent[]): void {
    for (let queue = this.#queues.first; queue !== undefined; queue = this.#queues.first) {
      this.#release(queue, queue.front as NetTraceEvent, released);
    }
  }

  #release(queue: EventQueue, event: NetTraceEvent, released: NetTraceEvent[]): void {
    released.push(event);
    this.waiting--;
    if (--event.block.waiting === 0) this.#waitingBytes -= event.block.bytes.length;
    queue.shift();
    if (queue.front === undefined) this.#queues.remove(queue);
    else this.#queues.moved(queue);
  }
}

function isBefore(queue: EventQueue, other: EventQueue): boolean {
  const a = queue.front as NetTraceEvent;
  const b = other.front as NetTraceEvent;
  if (a.timeHigh !== b.timeHigh) return a.timeHigh < b.timeHigh;
  if (a.timeLow !== b.timeLow) return a.timeLow < b.timeLow;
  return a.position < b.position;
}
