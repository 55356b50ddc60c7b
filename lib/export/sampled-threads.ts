/** CPU samples by thread, for exports: as the sampled profiles of a speedscope file, or one by one. */

import type { CodeMappings } from '../trace/code-mappings.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import type { FrameNames } from '../view/cpu/frame-names.ts';
import type { ExportedEnd } from './exporter.ts';

/** A stack, and the process that its addresses belong to. */
interface Stack {
  readonly processId: number | undefined;
  /** Innermost frame first. */
  readonly addresses: readonly bigint[];
  /** The time of the first sample. */
  readonly timestamp: bigint;
}

export interface SampledThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** Indices of stacks. */
  readonly samples: number[];
  /** When they were taken, in nanoseconds since the start of the trace. */
  readonly times: number[];
}

/** All samples are kept until the end, when the methods' names are known. */
const MAX_SAMPLES = 4_000_000;
/** Addresses of distinct stacks. */
const MAX_ADDRESSES = 16_000_000;

export class SampledThreads {
  /** Samples in the profiles. */
  count = 0;
  /** Samples omitted from them. */
  dropped = 0;
  readonly #intervalNs: number | undefined;
  readonly #names: FrameNames;
  readonly #stacks: Stack[] = [];
  readonly #stackIndices = new Map<string, number>();
  readonly #threads = new Map<string, SampledThread>();
  #addressCount = 0;

  /** @param intervalNs between samples, if known */
  constructor(intervalNs: number | undefined, names: FrameNames) {
    this.#intervalNs = intervalNs;
    this.#names = names;
  }

  /** Takes an event that may name code. */
  addNames(event: TraceEvent): void {
    this.#names.add(event);
  }

  addSample(event: TraceEvent): void {
    const { stack, processId, threadId, timestamp } = event;
    if (stack === undefined || stack.length === 0) return;
    if (this.count >= MAX_SAMPLES || this.#addressCount >= MAX_ADDRESSES) {
      this.dropped++;
      return;
    }
    this.count++;
    const key = `${processId} ${threadId}`;
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      thread = { processId, threadId, samples: [], times: [] };
      this.#threads.set(key, thread);
    }
    thread.samples.push(this.#indexOf({ processId, addresses: stack, timestamp }));
    thread.times.push(Number(event.timeSinceStart));
  }

  get threads(): Iterable<SampledThread> {
    return this.#threads.values();
  }

  /** Yields one profile per thread. */
  *profiles(frames: Frames, { processNames, mappings }: ExportedEnd): Generator<object, void> {
    const stacks = this.stacks(frames, mappings);
    const weight = this.#intervalNs ?? 1;
    const unit = this.#intervalNs === undefined ? 'none' : 'nanoseconds';
    for (const { processId, threadId, samples } of this.#threads.values()) {
      const process = processId === undefined ? undefined : (processNames.get(processId) ?? processId);
      yield {
        type: 'sampled',
        name: `CPU of thread ${threadId ?? 'unknown'}${process === undefined ? '' : ` of ${process}`}`,
        unit,
        startValue: 0,
        endValue: samples.length * weight,
        samples: samples.map((index) => stacks[index]),
        weights: samples.map(() => weight),
      };
    }
  }

  /** The frames of every stack, outermost first. */
  stacks(frames: Frames, mappings: CodeMappings | undefined): number[][] {
    return this.#stacks.map(({ processId, addresses, timestamp }) =>
      Array.from(addresses, (address) =>
        frames.indexOf(this.#names.frameOf(processId, address, timestamp, mappings).name),
      ).reverse(),
    );
  }

  #indexOf(stack: Stack): number {
    const key = `${stack.processId} ${stack.addresses.join()}`;
    let index = this.#stackIndices.get(key);
    if (index === undefined) {
      index = this.#stacks.push(stack) - 1;
      this.#stackIndices.set(key, index);
      this.#addressCount += stack.addresses.length;
    }
    return index;
  }
}

/** The frames that all stacks share, each name once. */
export class Frames {
  readonly #indices = new Map<string, number>();

  indexOf(name: string): number {
    let index = this.#indices.get(name);
    if (index === undefined) {
      index = this.#indices.size;
      this.#indices.set(name, index);
    }
    return index;
  }

  get names(): Iterable<string> {
    return this.#indices.keys();
  }
}
