/** CPU samples added up: those of one stack, on one thread, in one activity. */
import type { ChargedSample } from '../view/cpu/charged-samples.ts';
import type { SampledStack } from '../view/cpu/cpu-profile.ts';

export interface SampleSum extends Pick<ChargedSample, 'threadId' | 'run'> {
  readonly stack: SampledStack;
  /** Samples on a processor; each may count as a part of one. */
  onCpu: number;
  /** Nanoseconds on a processor, without the samples that stand for the usual interval. */
  ns: number;
  intervals: number;
}

/** Limits the memory, and the size of a profile. */
const MAX_SUMS = 1_000_000;

export class SampleSums {
  /** Samples for which there was no room. */
  dropped = 0;
  readonly #sums = new Map<string, SampleSum>();
  /** Stacks and activities by number, for keys. */
  readonly #numbers = new Map<unknown, number>();

  get size(): number {
    return this.#sums.size;
  }

  [Symbol.iterator](): Iterator<SampleSum> {
    return this.#sums.values();
  }

  add({ subject: stack, threadId, run, ns, onCpu, isBusy }: ChargedSample): void {
    const key = `${this.#numberOf(stack)} ${this.#numberOf(run?.activity ?? run?.activityId)} ${threadId}`;
    let sum = this.#sums.get(key);
    if (sum === undefined) {
      if (this.#sums.size >= MAX_SUMS) {
        this.dropped++;
        return;
      }
      sum = { stack, threadId, run, onCpu: 0, ns: 0, intervals: 0 };
      this.#sums.set(key, sum);
    }
    sum.onCpu += onCpu;
    if (!isBusy) return;
    if (ns === undefined) sum.intervals++;
    else sum.ns += ns * onCpu;
  }

  #numberOf(value: unknown): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.#numbers.size;
      this.#numbers.set(value, number);
    }
    return number;
  }
}

/** @param intervalNs the usual time between two samples */
export function cpuNsOf({ ns, intervals }: SampleSum, intervalNs: number): number {
  return Math.round(ns + intervals * intervalNs);
}
