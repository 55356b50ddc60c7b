/** CPU samples by thread, for exports: as the sampled profiles of a speedscope file, or one by one. */

import type { CodeMappings } from '../trace/code-mappings.ts';
import type { TraceEvent } from '../trace/trace-event.ts';
import { CountedFirst } from '../view/cpu/cpu-profile.ts';
import type { FrameNames } from '../view/cpu/frame-names.ts';
import { countText } from '../view/number-text.ts';
import type { ExportedEnd } from './exporter.ts';

/** A stack, and the process that its addresses belong to. */
interface Stack {
  readonly processId: number | undefined;
  /** Innermost frame first. */
  readonly addresses: readonly bigint[];
  /** The time of the first sample. */
  readonly timestamp: bigint;
}

interface SampledThread {
  readonly processId: number | undefined;
  readonly threadId: number | undefined;
  /** Indices of stacks. */
  readonly samples: number[];
  /** When they were taken, in nanoseconds since the start of the trace. */
  readonly times: number[];
  /** How long they were on a processor; one each as long as nobody has said. */
  readonly weights: number[];
}

/** One of the samples of a thread. */
export interface SamplePlace {
  readonly thread: SampledThread;
  readonly index: number;
}

/** All samples are kept until the end, when the methods' names are known. */
const MAX_SAMPLES = 4_000_000;
/** Addresses of distinct stacks. */
const MAX_ADDRESSES = 16_000_000;

export class SampledThreads {
  /** Samples in the profiles. */
  count = 0;
  #dropped = 0;
  #others = 0;
  readonly #counted = new CountedFirst();
  readonly #names: FrameNames;
  readonly #stacks: Stack[] = [];
  readonly #stackIndices = new Map<string, number>();
  readonly #threads = new Map<string, SampledThread>();
  #addressCount = 0;

  constructor(names: FrameNames) {
    this.#names = names;
  }

  /** Say which samples are omitted. */
  get notices(): string[] {
    const [dropped, others] = [countText(this.#dropped, 'CPU sample'), countText(this.#others, 'sample')];
    return [
      ...(this.#dropped > 0 ? [`${dropped} are omitted: there are too many.`] : []),
      ...(this.#others > 0
        ? [`${others} of further events of perf are omitted: they count something else, and cannot be added.`]
        : []),
    ];
  }

  /** Takes an event that may name code. */
  addNames(event: TraceEvent): void {
    this.#names.add(event);
  }

  /** Returns undefined if the sample is omitted. */
  addSample(event: TraceEvent): SamplePlace | undefined {
    const { stack, processId, threadId, timestamp } = event;
    if (stack === undefined || stack.length === 0) return undefined;
    const isOther = !this.#counted.has(event);
    if (isOther) this.#others++;
    else if (this.count >= MAX_SAMPLES || this.#addressCount >= MAX_ADDRESSES) this.#dropped++;
    if (isOther || this.#dropped > 0) return undefined;
    this.count++;
    const key = `${processId} ${threadId}`;
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      thread = { processId, threadId, samples: [], times: [], weights: [] };
      this.#threads.set(key, thread);
    }
    thread.samples.push(this.#indexOf({ processId, addresses: stack, timestamp }));
    thread.times.push(event.nsSinceStart);
    return { thread, index: thread.weights.push(1) - 1 };
  }

  get threads(): Iterable<SampledThread> {
    return this.#threads.values();
  }

  /**
   * Yields one profile per thread.
   *
   * @param unit of the weights
   */
  *profiles(frames: Frames, unit: string, { processNames, mappings }: ExportedEnd): Generator<object, void> {
    const stacks = this.stacks(frames, mappings);
    for (const { processId, threadId, samples, weights } of this.#threads.values()) {
      const process = processId === undefined ? undefined : (processNames.get(processId) ?? processId);
      yield {
        type: 'sampled',
        name: `CPU of thread ${threadId ?? 'unknown'}${process === undefined ? '' : ` of ${process}`}`,
        unit,
        startValue: 0,
        endValue: weights.reduce((sum, weight) => sum + weight, 0),
        samples: samples.map((index) => stacks[index]),
        weights,
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
