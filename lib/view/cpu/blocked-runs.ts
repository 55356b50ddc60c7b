/**
 * What blocked event loops: the longest stretches in which a thread was busy with one activity, or outside of all,
 * without a switch or a pause.
 */
import type { ChargedSample } from './charged-samples.ts';
import type { SampledStack } from './cpu-profile.ts';

export interface BlockedRun {
  readonly run: NonNullable<ChargedSample['run']>;
  /** Nanoseconds since the start of the trace. */
  readonly startNs: number;
  endNs: number;
  samples: number;
  /** Maps each stack to the number of its samples. */
  readonly stacks: Map<SampledStack, number>;
}

/** A thread without samples for so long was idle, unless its readings say otherwise. */
const MAX_GAP_NS = 25e6;
/** A gap is idle if the loop was idle for this share of it. */
const IDLE_SHARE = 0.5;

/** How long the event loop of a run's thread was idle between two times; undefined if that is unknown. */
type IdleBetween = (run: BlockedRun['run'], fromNs: number, toNs: number) => number | undefined;

export class BlockedRuns {
  readonly #top: number;
  readonly #idleBetween: IdleBetween;
  /** The current run of each thread. */
  readonly #open = new Map<string, BlockedRun>();
  #longest: BlockedRun[] = [];

  /** @param top how many to keep */
  constructor(top: number, idleBetween: IdleBetween) {
    this.#top = top;
    this.#idleBetween = idleBetween;
  }

  /** Takes the samples of each thread in order. */
  add(sample: ChargedSample): void {
    const { run, stack, timeNs } = sample;
    // Whatever has no switches has no event loop either.
    if (run === undefined) return;
    const thread = `${run.processId} ${run.threadId}`;
    let open = this.#open.get(thread);
    if (open !== undefined && (open.run !== run || !sample.isBusy || this.#wasIdle(open, timeNs))) {
      this.#close(thread, open);
      open = undefined;
    }
    if (!sample.isBusy) return;
    if (open === undefined) {
      open = { run, startNs: timeNs, endNs: timeNs, samples: 0, stacks: new Map() };
      this.#open.set(thread, open);
    }
    open.endNs = sample.untilNs;
    open.samples++;
    open.stacks.set(stack, (open.stacks.get(stack) ?? 0) + 1);
  }

  /** Call this after the last sample. @returns the longest ones, longest first */
  end(): readonly BlockedRun[] {
    for (const [thread, open] of this.#open) this.#close(thread, open);
    return this.#sorted();
  }

  #wasIdle({ run, endNs }: BlockedRun, timeNs: number): boolean {
    const gapNs = timeNs - endNs;
    if (gapNs <= MAX_GAP_NS) return false;
    const idleNs = this.#idleBetween(run, endNs, timeNs);
    return idleNs === undefined || idleNs > gapNs * IDLE_SHARE;
  }

  #close(thread: string, run: BlockedRun): void {
    this.#open.delete(thread);
    this.#longest.push(run);
    if (this.#longest.length >= 2 * this.#top + 100) this.#longest = this.#sorted();
  }

  #sorted(): BlockedRun[] {
    const byLength = (a: BlockedRun, b: BlockedRun) =>
      b.endNs - b.startNs - (a.endNs - a.startNs) || a.startNs - b.startNs;
    return this.#longest.sort(byLength).slice(0, this.#top);
  }
}

/** The stack in which most samples were taken. */
export function hottestStack({ stacks }: BlockedRun): SampledStack {
  let [hottest] = stacks.keys();
  for (const [stack, samples] of stacks) {
    if (samples > (stacks.get(hottest as SampledStack) as number)) hottest = stack;
  }
  return hottest as SampledStack;
}
