/**
 * Merges the events of several inputs by time, as they arrive: only one batch of each input is in memory.
 *
 * Each input keeps its own order, even if its times go back; for equal times, the input added first comes first. An
 * event is delivered only when every other input has shown its next one, or has kept the merge waiting for too long.
 */

import { Heap, type HeapItem } from '../base/heap.ts';
import type { Nanoseconds } from '../trace/trace-event.ts';
import type { Sinks } from './demultiplexer.ts';
import type { Deliver, Deserializer } from './deserializer.ts';
import type { Batches } from './feed.ts';
import type { InputRun } from './single-input.ts';

interface Occurrence {
  readonly event: unknown;
  readonly time: Nanoseconds;
  readonly sinks: Sinks;
}

/** Batches of raw events, and what turns them into events. */
interface MergeInput {
  readonly batches: Batches<unknown>;
  readonly deserializer: Deserializer<unknown>;
}

/** An input, and the position of the merge in it. */
interface Lane extends HeapItem {
  readonly input: MergeInput;
  readonly order: number;
  readonly occurrences: Occurrence[];
  position: number;
  /** The time of its next event. */
  time: Nanoseconds;
  /** When its next batch was requested, while it is pending; by `performance.now`. */
  askedAt: number | undefined;
  /** What ends it after its last event. */
  failure: { readonly error: unknown } | undefined;
}

/** The maximum delay of `setTimeout`. */
const MAX_TIMEOUT = 2 ** 31 - 1;

export class Merge implements InputRun {
  readonly #lanes: readonly Lane[];
  /** The lanes that have shown their next event. */
  readonly #ready = new Heap<Lane>((a, b) => a.time < b.time || (a.time === b.time && a.order < b.order));
  readonly #maxWaitMs: number;
  #failure: { readonly error: unknown } | undefined;
  #isClosed = false;
  /** Ends the wait for a lane. */
  #wake: () => void = () => {};

  /** @param maxWaitMs milliseconds after which the merge continues without an input that has nothing to show */
  constructor(inputs: readonly MergeInput[], maxWaitMs: number) {
    this.#maxWaitMs = maxWaitMs;
    this.#lanes = inputs.map((input, order) => ({
      input,
      order,
      occurrences: [],
      position: 0,
      time: 0n,
      askedAt: undefined,
      failure: undefined,
      heapIndex: -1,
    }));
  }

  async run(deliver: Deliver): Promise<void> {
    for (const lane of this.#lanes) void this.#fill(lane);
    for (;;) {
      await this.#untilReady();
      const lane = this.#ready.first;
      if (lane === undefined || this.#isClosed) return;
      this.#deliverWhileFirst(lane, deliver);
      if (lane.position === lane.occurrences.length) {
        this.#ready.remove(lane);
        void this.#fill(lane);
      }
    }
  }

  /** A pending input may be released later. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const idle: unknown[] = [];
    for (const { input, askedAt } of this.#lanes) {
      const returned = input.batches.return?.().catch(() => {});
      if (askedAt === undefined) idle.push(returned);
    }
    this.#wake();
    await Promise.all(idle);
  }

  /** Delivers until the lane is exhausted or another one comes before it. */
  #deliverWhileFirst(lane: Lane, deliver: Deliver): void {
    const { occurrences } = lane;
    while (lane.position < occurrences.length && !this.#isClosed) {
      const { event, time, sinks } = occurrences[lane.position++] as Occurrence;
      deliver(event, time, sinks);
      const next = occurrences[lane.position];
      if (next === undefined) return;
      if (next.time === lane.time) continue;
      lane.time = next.time;
      this.#ready.moved(lane);
      if (this.#ready.first !== lane) return;
    }
  }

  /** Gets the lane's next batch that contains a selected event. */
  async #fill(lane: Lane): Promise<void> {
    const { occurrences } = lane;
    const { batches, deserializer } = lane.input;
    occurrences.length = 0;
    lane.position = 0;
    lane.askedAt = performance.now();
    const keep: Deliver = (event, time, sinks) => occurrences.push({ event, time, sinks });
    try {
      while (occurrences.length === 0 && lane.failure === undefined) {
        const batch = await batches.next();
        if (batch.done === true || this.#isClosed) break;
        for (const raw of batch.value) deserializer.read(raw, keep);
      }
    } catch (error) {
      lane.failure = { error };
    }
    lane.askedAt = undefined;
    const first = occurrences[0];
    if (first === undefined) {
      this.#failure ??= lane.failure;
    } else {
      lane.time = first.time;
      this.#ready.add(lane);
    }
    this.#wake();
  }

  /** Until every lane has shown its next event, has ended, or is overdue while another one is ready. */
  async #untilReady(): Promise<void> {
    while (!this.#isClosed) {
      if (this.#failure !== undefined) throw this.#failure.error;
      const patience = this.#patience();
      if (patience <= 0) return;
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        if (patience !== Number.POSITIVE_INFINITY)
          timer = setTimeout(resolve, Math.min(patience, MAX_TIMEOUT));
      });
      clearTimeout(timer);
    }
  }

  /** How many milliseconds to wait for lanes. */
  #patience(): number {
    let patience = 0;
    for (const { askedAt } of this.#lanes) {
      if (askedAt === undefined) continue;
      if (this.#ready.size === 0) return Number.POSITIVE_INFINITY;
      patience = Math.max(patience, askedAt + this.#maxWaitMs - performance.now());
    }
    return patience;
  }
}
