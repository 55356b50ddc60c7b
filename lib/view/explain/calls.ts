/**
 * What activities inside another were, by kind: how many, whether one after the other, and which line started them; and
 * the modules that were loaded meanwhile.
 */
import type { TracedActivity } from '../traced-activity.ts';

/** Labels of activities inside. */
const MAX_CALLS = 200;
/** Calls in turn overlap by less, as a share of their durations. */
const OVERLAP = 0.1;
const MAX_PACKAGES = 1000;

/** The activities of one kind inside another. */
export interface Calls<Inside extends Call = Call> {
  readonly label: string;
  count: number;
  failed: number;
  /** Those that started after the one before had ended, or nearly: a call that fails is closed after the next one starts. */
  inTurn: number;
  /** The sum of their durations. */
  totalNs: number;
  readonly startNs: number;
  /** The latest end. */
  endNs: number;
  /** The line of the application that started them, if all are known to have the same: `cart.mjs:17`. */
  startedAt: string | undefined;
  longest: Inside;
}

/** An activity inside that has ended, and what it is called. */
interface Call {
  readonly activity: TracedActivity;
  readonly label: string;
  readonly startedAt: string | undefined;
}

export function countCall<Inside extends Call>(all: Calls<Inside>[], inner: Inside): void {
  const { activity, label, startedAt } = inner;
  const { startNs, endNs = startNs, isFailed } = activity;
  const known = all.find((each) => each.label === label);
  if (known === undefined) {
    if (all.length >= MAX_CALLS) return;
    const failed = isFailed ? 1 : 0;
    const totalNs = endNs - startNs;
    all.push({ label, count: 1, failed, inTurn: 1, totalNs, startNs, endNs, startedAt, longest: inner });
    return;
  }
  const { startNs: longestFrom, endNs: longestTo = longestFrom } = known.longest.activity;
  if (endNs - startNs > longestTo - longestFrom) known.longest = inner;
  const shortNs = Math.min(endNs - startNs, known.totalNs / known.count);
  known.count++;
  if (isFailed) known.failed++;
  if (startNs >= known.endNs - shortNs * OVERLAP) known.inTurn++;
  known.totalNs += endNs - startNs;
  known.endNs = Math.max(known.endNs, endNs);
  if (known.startedAt !== startedAt) known.startedAt = undefined;
}

/** Modules that were loaded, in an activity or in all of them. */
export class ModuleLoads {
  count = 0;
  ns = 0;
  /** How many are of each package. */
  readonly packages: Map<string, number> = new Map();
  #untilNs = 0;

  add({ count, ns, packages }: ModuleLoads): void {
    this.count += count;
    this.ns += ns;
    for (const [name, modules] of packages) this.addPackage(name, modules);
  }

  /** Adds what was loaded in an activity between these times. Loads at the same time count once. */
  addInside(loaded: ModuleLoads, startNs: number, endNs: number): void {
    const { ns } = this;
    this.add(loaded);
    const newNs = Math.max(0, endNs - Math.max(startNs, this.#untilNs));
    this.ns = ns + Math.min(loaded.ns, newNs);
    this.#untilNs = Math.max(this.#untilNs, endNs);
  }

  addPackage(name: string, modules: number): void {
    if (this.packages.size < MAX_PACKAGES || this.packages.has(name)) {
      this.packages.set(name, (this.packages.get(name) ?? 0) + modules);
    }
  }
}
