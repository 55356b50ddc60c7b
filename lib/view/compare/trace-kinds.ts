/**
 * What a trace says about each kind of activities (all with one name and label), to be compared with another trace: how
 * many there are, and a random sample of them with their states. Its memory does not grow with the trace.
 */
import { glob } from '../../base/glob.ts';
import type { SampledStack } from '../cpu/cpu-profile.ts';
import type { ActivityTime } from '../explain/activity-time.ts';
import { type State, stateOfCall } from '../explain/states.ts';
import { Quantiles } from '../quantiles.ts';

/** Something that activities of a kind spend time in, or do some number of times. */
export interface Part {
  /** The state is undefined for calls, which are counted. */
  readonly state: State | undefined;
  /** What was waited for or called; empty if there is nothing to name. */
  readonly what: string;
  /** Nanoseconds, or how many calls, of all activities of the kind. */
  total: number;
}

export interface SampledActivity {
  /** How many activities at the top had ended. */
  readonly order: number;
  readonly durationNs: number;
  readonly isFailed: boolean;
  /** Pairs of numbers: the index of one of the kind's parts, and how much of it. */
  readonly parts: readonly number[];
}

export interface Kind {
  readonly name: string;
  readonly label: string;
  /** How many of them are in no other activity. */
  top: number;
  count: number;
  failed: number;
  totalNs: number;
  readonly durations: Quantiles;
  readonly parts: Part[];
  readonly sample: SampledActivity[];
  /** These are the stacks of their own runs, with their samples. */
  readonly stacks: Map<SampledStack, number>;
}

/** Further ones are one kind. */
const MAX_KINDS = 2000;
const OTHER_KINDS = '(further kinds)';
/** A kind has no more parts: the time of further ones is in none. */
const MAX_PARTS = 200;
const MAX_STACKS = 300;
/** Whose stacks are kept, of all that held activities. */
const MAX_HOLDERS = 300;
/** The sample of a kind is no larger, and smaller if there are many kinds. */
const MAX_SAMPLE = 4096;
/** The samples of all kinds together are no larger: beyond that, each keeps half as many. */
const MAX_SAMPLES = 200_000;

export class TraceKinds {
  readonly kinds: Map<string, Kind> = new Map();
  /** Activities at the top are in no other. */
  top = 0;
  /** The stacks of runs that held activities, where the key is what ran. */
  readonly holders: Map<string, Map<SampledStack, number>> = new Map();
  readonly #partIndexes = new Map<Kind, Map<string, number>>();
  #sampleSize = MAX_SAMPLE;
  #samples = 0;
  /** The same trace has the same sample whenever it is read. */
  #random = 1;

  add(time: ActivityTime): void {
    const { activity, account, label } = time;
    if (activity.state !== 'stopped' && activity.state !== 'killed') return;
    const { parent } = activity;
    const isTop = parent === undefined || stateOfCall(parent.name) !== undefined;
    if (isTop) this.top++;
    const kind = this.#kindOf(activity.name, withoutPorts(label));
    kind.count++;
    if (isTop) kind.top++;
    if (activity.isFailed) kind.failed++;
    kind.totalNs += account.totalNs;
    kind.durations.add(account.totalNs);
    const parts: number[] = [];
    for (const { state, what, ns } of account.entries) this.#addPart(kind, parts, state, what, ns);
    for (const { label: called, count } of time.calls) this.#addPart(kind, parts, undefined, called, count);
    addStacks(kind.stacks, time.stacks);
    for (const { run } of account.holds) this.#addHolder(run.label, run.stacks);
    this.#sample(kind, {
      order: this.top,
      durationNs: account.totalNs,
      isFailed: activity.isFailed,
      parts,
    });
  }

  #kindOf(name: string, label: string): Kind {
    const key = kindKey(name, label);
    const known = this.kinds.get(key);
    if (known !== undefined) return known;
    if (this.kinds.size >= MAX_KINDS && name !== OTHER_KINDS) return this.#kindOf(OTHER_KINDS, OTHER_KINDS);
    const kind: Kind = {
      name,
      label,
      top: 0,
      count: 0,
      failed: 0,
      totalNs: 0,
      durations: new Quantiles(),
      parts: [],
      sample: [],
      stacks: new Map(),
    };
    this.kinds.set(key, kind);
    this.#partIndexes.set(kind, new Map());
    return kind;
  }

  #addPart(kind: Kind, parts: number[], state: State | undefined, what: string, amount: number): void {
    if (amount === 0) return;
    const indexes = this.#partIndexes.get(kind) as Map<string, number>;
    const name = withoutPorts(what);
    const key = `${state ?? ''} ${name}`;
    let index = indexes.get(key);
    if (index === undefined) {
      if (kind.parts.length >= MAX_PARTS) return;
      index = kind.parts.length;
      kind.parts.push({ state, what: name, total: 0 });
      indexes.set(key, index);
    }
    (kind.parts[index] as Part).total += amount;
    parts.push(index, amount);
  }

  #addHolder(label: string, stacks: ReadonlyMap<SampledStack, number> | undefined): void {
    if (stacks === undefined) return;
    const name = withoutPorts(label);
    const known = this.holders.get(name);
    if (known === undefined && this.holders.size >= MAX_HOLDERS) return;
    const all = known ?? new Map<SampledStack, number>();
    this.holders.set(name, all);
    addStacks(all, stacks);
  }

  /** Vitter's algorithm R: each activity is in the sample with the same probability. */
  #sample({ sample, count }: Kind, activity: SampledActivity): void {
    if (sample.length < Math.min(count, this.#sampleSize)) {
      sample.push(activity);
      this.#samples++;
      if (this.#samples > MAX_SAMPLES) this.#halve();
      return;
    }
    const at = this.#below(count);
    if (at < sample.length) sample[at] = activity;
  }

  #halve(): void {
    this.#sampleSize = Math.ceil(this.#sampleSize / 2);
    this.#samples = 0;
    for (const { sample } of this.kinds.values()) {
      while (sample.length > this.#sampleSize) {
        const last = sample.pop() as SampledActivity;
        const at = this.#below(sample.length + 1);
        if (at < sample.length) sample[at] = last;
      }
      this.#samples += sample.length;
    }
  }

  #below(limit: number): number {
    // xorshift32: Marsaglia, Journal of Statistical Software 8 (2003).
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x;
    return Math.floor(((x >>> 0) / 2 ** 32) * limit);
  }
}

/** Puts `:*` for a port that the system chooses anew for each run, as in `GET 127.0.0.1:40319/db`. */
function withoutPorts(label: string): string {
  return label.replaceAll(PORT, (text, port) => (Number(port) >= FIRST_EPHEMERAL ? ':*' : text));
}

const PORT = /(?<=[\w\]]):(\d{5})(?!\d)/g;
/** Linux begins here; other systems with 49,152, as RFC 6335 asks. */
const FIRST_EPHEMERAL = 32_768;

function kindKey(name: string, label: string): string {
  return `${name} ${label}`;
}

/**
 * Tests names of kinds.
 *
 * @param pattern a name (`Request`, `MyCompany-MyService/Request`) or label (`GET /cart`), in which `*` is any text
 */
export function kindTest(pattern: string): (kind: Pick<Kind, 'name' | 'label'>) => boolean {
  const matches = glob(pattern);
  return ({ name, label }) =>
    matches(label) || matches(name) || matches(name.slice(name.lastIndexOf('/') + 1));
}

function addStacks(
  all: Map<SampledStack, number>,
  stacks: ReadonlyMap<SampledStack, number> | undefined,
): void {
  for (const [stack, samples] of stacks ?? []) {
    const known = all.get(stack);
    if (known !== undefined || all.size < MAX_STACKS) all.set(stack, (known ?? 0) + samples);
  }
}
