/**
 * The stacks of a report's events: a call tree of addresses while the trace is read, merged by the functions' names at
 * the end, when these are known. A report has each call once, however many samples were taken in it.
 */
import type { CodeMappings } from '../../trace/code-mappings.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { processFrame, sampledAddresses } from '../cpu/cpu-profile.ts';
import type { FrameNames } from '../cpu/frame-names.ts';
import { Interned } from './interned.ts';
import { ReportColumn } from './report-column.ts';
import type { ReportFrame } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

/** Calls, before their merging. */
const MAX_NODES = 2_000_000;
/** Distinct addresses; a power of two. */
const MAX_ADDRESSES = 1 << 21;
/** Functions; a power of two. Further ones are not told apart. */
const MAX_FRAMES = 1 << 18;
/** An address can become another function's when code moves: after this time, its name is looked up again. */
const NAME_LIFETIME_NS = 10e9;

const PERCENT = 100;

/** What a node of the tree calls: an address, or with none, the process itself. */
interface Callee {
  readonly processId: number | undefined;
  readonly address: bigint | undefined;
  /** The time of the first event with this address. */
  readonly timestamp: bigint;
}

/** Says where events have their processes and names in the trace. */
export interface NamesInTrace {
  readonly processNames: ReadonlyMap<number, string>;
  readonly mappings?: CodeMappings | undefined;
}

export class StackColumns {
  /** Each event has an optional index into `stackNode`. */
  readonly ofEvent: ReportColumn = new ReportColumn();
  readonly frames: FrameNames;
  /** Events whose stacks did not fit. */
  omitted = 0;
  readonly #callees: Callee[] = [];
  readonly #calleeNumbers = new Map<number | undefined, Map<bigint | undefined, number>>();
  /** The numbers are as in the column: see report-header.ts. */
  readonly #sampleActivities: number[] = [];
  readonly #samplesOnCpu: number[] = [];
  #namesEndNs = Number.NEGATIVE_INFINITY;
  /** The tree: parents come first. */
  readonly #parents: number[] = [];
  readonly #calls: number[] = [];
  readonly #nodes = new Map<number, number>();
  /** The innermost nodes of stacks, and the stacks' numbers by them. */
  readonly #leaves: number[] = [];
  readonly #stacks = new Map<number, number>();
  /** Maps hashes of the addresses to these numbers, as long as names last: most stacks come again. */
  readonly #known = new Map<number, number>();
  readonly #hash = new StackHash();

  constructor(frames: FrameNames) {
    this.frames = frames;
  }

  /**
   * @param isSample whether events of its kind can be CPU samples
   * @returns the number of the sample, if it is one with a stack
   */
  add(event: TraceEvent, nowNs: number, isSample: boolean): number | undefined {
    const addresses = isSample ? sampledAddresses(event) : event.stack;
    const isEmpty = addresses === undefined || addresses.length === 0 || this.frames.isIdle(event);
    const stack = isEmpty ? undefined : this.#stackOf(event, addresses, nowNs);
    this.ofEvent.optionalVarUint(stack);
    if (!isSample || stack === undefined) return undefined;
    this.#samplesOnCpu.push(PERCENT);
    return this.#sampleActivities.push(0) - 1;
  }

  /** @param onCpu how much of the sample was on a processor, from 0 to 1 */
  weigh(sample: number, onCpu: number): void {
    this.#samplesOnCpu[sample] = Math.round(onCpu * PERCENT);
  }

  /** @param activity its index in the report; undefined if the sample's thread was in none */
  charge(sample: number, activity: number | undefined): void {
    this.#sampleActivities[sample] = activity === undefined ? 1 : activity + 2;
  }

  #stackOf(event: TraceEvent, addresses: readonly bigint[], nowNs: number): number | undefined {
    if (nowNs > this.#namesEndNs && this.#parents.length < MAX_NODES / 4) {
      this.#calleeNumbers.clear();
      this.#known.clear();
      this.#namesEndNs = nowNs + NAME_LIFETIME_NS;
    }
    const { processId } = event;
    const hash = this.#hash.of(processId, addresses);
    const same = this.#known.get(hash);
    if (same !== undefined) return same;
    let known = this.#calleeNumbers.get(processId);
    if (known === undefined) {
      known = new Map();
      this.#calleeNumbers.set(processId, known);
    }
    let node = this.#nodeOf(-1, undefined, known, event);
    for (let i = addresses.length - 1; i >= 0 && node !== undefined; i--) {
      node = this.#nodeOf(node, addresses[i], known, event);
    }
    if (node === undefined) {
      this.omitted++;
      return undefined;
    }
    let stack = this.#stacks.get(node);
    if (stack === undefined) {
      stack = this.#leaves.push(node) - 1;
      this.#stacks.set(node, stack);
    }
    this.#known.set(hash, stack);
    return stack;
  }

  /** Returns undefined if there are too many. */
  #nodeOf(
    parent: number,
    address: bigint | undefined,
    known: Map<bigint | undefined, number>,
    { processId, timestamp }: TraceEvent,
  ): number | undefined {
    let callee = known.get(address);
    if (callee === undefined) {
      if (this.#callees.length >= MAX_ADDRESSES) return undefined;
      callee = this.#callees.push({ processId, address, timestamp }) - 1;
      known.set(address, callee);
    }
    const key = (parent + 1) * MAX_ADDRESSES + callee;
    let node = this.#nodes.get(key);
    if (node === undefined) {
      if (this.#parents.length >= MAX_NODES) return undefined;
      node = this.#parents.push(parent) - 1;
      this.#calls.push(callee);
      this.#nodes.set(key, node);
    }
    return node;
  }

  /** The tree with names, after all events. */
  merged(names: ReportNames, trace: NamesInTrace) {
    const frames = new Interned<ReportFrame>();
    const frameOf = this.#callees.map((callee) => {
      const { name, module } = this.#frameOf(callee, trace);
      const isFull = frames.values.length >= MAX_FRAMES - 1;
      return isFull
        ? frames.indexOf('', () => ({ name: names.name('(too many functions)'), module: '' }))
        : frames.indexOf(`${name}\0${module}`, () => ({
            name: names.name(name),
            module: names.name(module),
          }));
    });
    const nodeParent = new ReportColumn();
    const nodeFrame = new ReportColumn();
    const merged: number[] = [];
    const known = new Map<number, number>();
    for (const [node, parent] of this.#parents.entries()) {
      const above = parent < 0 ? -1 : (merged[parent] as number);
      const frame = frameOf[this.#calls[node] as number] as number;
      const key = (above + 1) * MAX_FRAMES + frame;
      let index = known.get(key);
      if (index === undefined) {
        index = known.size;
        known.set(key, index);
        nodeParent.varUint(above < 0 ? 0 : index - above);
        nodeFrame.varUint(frame);
      }
      merged.push(index);
    }
    const stackNode = new ReportColumn();
    for (const leaf of this.#leaves) stackNode.varUint(merged[leaf] as number);
    const sampleActivity = new ReportColumn();
    for (const activity of this.#sampleActivities) sampleActivity.varUint(activity);
    const sampleOnCpu = new ReportColumn();
    for (const percent of this.#samplesOnCpu) sampleOnCpu.varUint(percent);
    return { frames: frames.values, sampleActivity, sampleOnCpu, nodeParent, nodeFrame, stackNode };
  }

  #frameOf({ processId, address, timestamp }: Callee, { processNames, mappings }: NamesInTrace): ReportFrame {
    if (address === undefined) return processFrame(processId, processNames);
    return this.frames.frameOf(processId, address, timestamp, mappings);
  }
}

/** Hashes of stacks, as whole numbers below 2^53: of a million stacks, all are different. */
class StackHash {
  #addresses = new BigUint64Array(256);
  #words = new Uint32Array(this.#addresses.buffer);

  of(processId: number | undefined, addresses: readonly bigint[]): number {
    const { length } = addresses;
    if (length > this.#addresses.length) {
      this.#addresses = new BigUint64Array(length * 2);
      this.#words = new Uint32Array(this.#addresses.buffer);
    }
    for (let i = 0; i < length; i++) this.#addresses[i] = addresses[i] as bigint;
    let first = (processId ?? -1) | 0;
    let second = length;
    for (let i = 0; i < 2 * length; i++) {
      const word = this.#words[i] as number;
      first = Math.imul(first ^ word, 0x9e3779b1);
      first ^= first >>> 15;
      second = Math.imul(second + word, 0x85ebca6b);
      second ^= second >>> 13;
    }
    return (first >>> 0) * 2 ** 21 + (second >>> 11);
  }
}
