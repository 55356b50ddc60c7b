/** Where the CPU time went: the CPU samples of a trace, by function and as a call tree. */
import type { CodeMappings } from '../../trace/code-mappings.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import { type Frame, type FrameNames, IDLE, isOfTracer, isScript } from './frame-names.ts';

/** Addresses of distinct stacks. */
const MAX_ADDRESSES = 16_000_000;
/** Nodes of the tree. */
const MAX_NODES = 2_000_000;

/** Where samples were taken, and how many of them count. */
export interface SampledStack {
  readonly processId: number | undefined;
  /** What perf counted for the sample; undefined for others. */
  readonly counted: string | undefined;
  /** Innermost first. */
  readonly addresses: readonly bigint[];
  /** The time of the first sample. */
  readonly timestamp: bigint;
  count: number;
  /** Counts those that were on a processor; each sample may count as a part of one. */
  onCpu: number;
}

export interface CallNode {
  readonly frame: Frame;
  /** Samples on a processor, in the function and in what it called, and only in the function itself. */
  total: number;
  self: number;
  /** Samples in both on the thread, but not on a processor. */
  off: number;
  readonly callees: ReadonlyMap<string, CallNode>;
}

export interface FunctionCost {
  readonly frame: Frame;
  total: number;
  self: number;
  off: number;
}

export interface CpuCosts {
  /** The number excludes samples of idle threads. */
  readonly samples: number;
  /** Counts those that were on a processor. */
  readonly onCpu: number;
  /** Counts, among these, those in code of this package, or in what of Node.js it called. */
  readonly ofTracer: number;
  /** Each process has a root. */
  readonly roots: readonly CallNode[];
  /** The order is that of their own samples, most first. */
  readonly functions: readonly FunctionCost[];
}

export class CpuProfile {
  samples = 0;
  /** Samples for which there was no room. */
  omitted = 0;
  readonly #names: FrameNames;
  readonly #maxAddresses: number;
  readonly #stacks = new Map<string, SampledStack>();
  readonly #counted = new Set<string | undefined>();
  #addresses = 0;

  constructor(names: FrameNames, maxAddresses = MAX_ADDRESSES) {
    this.#names = names;
    this.#maxAddresses = maxAddresses;
  }

  add(event: TraceEvent): void {
    const stack = this.take(event);
    if (stack !== undefined) this.count(stack);
  }

  /** Takes any event; the stack of a sample, which is not counted yet. */
  take(event: TraceEvent): SampledStack | undefined {
    const addresses = sampledAddresses(event);
    if (addresses === undefined) {
      this.#names.add(event);
      return undefined;
    }
    const { processId } = event;
    const counted = countedBy(event);
    const key = `${processId} ${addresses.join()} ${counted ?? ''}`;
    const known = this.#stacks.get(key);
    if (known !== undefined) return known;
    if (this.#addresses + addresses.length > this.#maxAddresses) {
      this.omitted++;
      return undefined;
    }
    this.#addresses += addresses.length;
    this.#counted.add(counted);
    const stack = { processId, counted, addresses, timestamp: event.timestamp, count: 0, onCpu: 0 };
    this.#stacks.set(key, stack);
    return stack;
  }

  /** @param onCpu how much of the sample was on a processor, from 0 to 1 */
  count(stack: SampledStack, onCpu = 1): void {
    this.samples++;
    stack.count++;
    stack.onCpu += onCpu;
  }

  /** Innermost first. Call this when all events have been read. */
  framesOf({ processId, addresses, timestamp }: SampledStack, mappings?: CodeMappings): Frame[] {
    return addresses.map((each) => this.#names.frameOf(processId, each, timestamp, mappings));
  }

  /** What samples stand for: perf may count several things at once, which cannot be added up. */
  get counted(): readonly (string | undefined)[] {
    return [...this.#counted];
  }

  /**
   * Call this when all events have been read: names may follow the samples.
   *
   * @param counted of which samples; by default, of the first
   */
  costs(
    processNames: ReadonlyMap<number, string>,
    mappings?: CodeMappings,
    counted: string | undefined = this.counted[0],
  ): CpuCosts {
    const tree = new CallTree();
    const functions = new Map<string, FunctionCost>();
    let samples = 0;
    let onCpu = 0;
    let ofTracer = 0;
    for (const stack of this.#stacks.values()) {
      const { processId, count } = stack;
      if (count === 0 || stack.counted !== counted) continue;
      const frames = this.framesOf(stack, mappings);
      if (frames[0]?.name === IDLE) continue;
      samples += count;
      onCpu += stack.onCpu;
      const own = frames.find((frame) => isScript(frame) || isOfTracer(frame));
      if (own !== undefined && isOfTracer(own)) ofTracer += stack.onCpu;
      addFunctions(functions, frames, stack);
      tree.add([...frames, processFrame(processId, processNames)], stack);
    }
    const bySamples = (a: { total: number; self: number }, b: typeof a) =>
      b.self - a.self || b.total - a.total;
    const sorted = [...functions.values()].sort(bySamples);
    return { samples, onCpu, ofTracer, roots: tree.roots, functions: sorted };
  }
}

/** See `CpuProfile.counted`. */
function countedBy({ provider, name }: Pick<TraceEvent, 'provider' | 'name'>): string | undefined {
  return provider === 'perf' ? name : undefined;
}

/** Tells the samples that count the same as the first one from those that cannot be added to them. */
export class CountedFirst {
  #counted: string | undefined;

  has(sample: Pick<TraceEvent, 'provider' | 'name'>): boolean {
    const counted = countedBy(sample);
    this.#counted ??= counted;
    return counted === undefined || counted === this.#counted;
  }
}

class CallTree {
  readonly #roots = new Map<string, MutableNode>();
  #count = 0;

  get roots(): CallNode[] {
    return [...this.#roots.values()].sort((a, b) => b.total - a.total);
  }

  /** @param frames innermost first; frames that no longer fit count for their callers */
  add(frames: readonly Frame[], stack: Counts): void {
    let callees = this.#roots;
    let node: MutableNode | undefined;
    for (let i = frames.length - 1; i >= 0; i--) {
      const frame = frames[i] as Frame;
      const key = keyOf(frame);
      let callee = callees.get(key);
      if (callee === undefined) {
        if (this.#count >= MAX_NODES) break;
        this.#count++;
        callee = { frame, total: 0, self: 0, off: 0, callees: new Map() };
        callees.set(key, callee);
      }
      callee.total += stack.onCpu;
      callee.off += stack.count - stack.onCpu;
      node = callee;
      callees = callee.callees;
    }
    if (node !== undefined) node.self += stack.onCpu;
  }
}

type Counts = Pick<SampledStack, 'count' | 'onCpu'>;

interface MutableNode extends CallNode {
  readonly callees: Map<string, MutableNode>;
}

/** A function counts once per stack, however often it calls itself. */
function addFunctions(
  functions: Map<string, FunctionCost>,
  frames: readonly Frame[],
  { count, onCpu }: Counts,
): void {
  const seen = new Set<string>();
  for (const [depth, frame] of frames.entries()) {
    const key = keyOf(frame);
    let cost = functions.get(key);
    if (cost === undefined) {
      cost = { frame, total: 0, self: 0, off: 0 };
      functions.set(key, cost);
    }
    if (depth === 0) cost.self += onCpu;
    if (!seen.has(key)) {
      cost.total += onCpu;
      cost.off += count - onCpu;
    }
    seen.add(key);
  }
}

export function processFrame(processId: number | undefined, names: ReadonlyMap<number, string>): Frame {
  if (processId === undefined) return { name: 'Unknown process', module: '' };
  const name = names.get(processId);
  return { name: name === undefined ? `Process ${processId}` : `${name} (${processId})`, module: '' };
}

function keyOf({ name, module }: Frame): string {
  return `${name}\0${module}`;
}

/** The stack of a CPU sample, or at least its instruction pointer; undefined for other events. */
export function sampledAddresses(event: TraceEvent): readonly bigint[] | undefined {
  if (!isCpuSample(event)) return undefined;
  const { stack } = event;
  if (stack !== undefined && stack.length > 0) return stack;
  const { ip = event.payload.InstructionPointer } = event.payload;
  return typeof ip === 'bigint' ? [ip] : undefined;
}

/** The Windows kernel marks by this that the processor served a DPC or an interrupt when it took the sample. */
const IN_DPC_OR_ISR = 3;

/**
 * Samples from .NET's sample profiler, dotnet-trace's collect-linux, the Windows kernel or perf. The Idle thread of
 * Windows works only where it is interrupted: TraceEvent counts the same.
 */
export function isCpuSample(event: Pick<TraceEvent, 'provider' | 'name' | 'threadId' | 'payload'>): boolean {
  const { provider, name, threadId } = event;
  switch (provider) {
    case 'Microsoft-DotNETCore-SampleProfiler':
      return true;
    case 'Universal.Events':
      return name === 'cpu';
    case 'Windows Kernel':
      return (
        name === 'PerfInfo/Sample' && (threadId !== 0 || (Number(event.payload.Flags) & IN_DPC_OR_ISR) !== 0)
      );
    case 'perf':
      return true;
    default:
      return false;
  }
}
