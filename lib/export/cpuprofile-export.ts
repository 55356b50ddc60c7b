/**
 * The CPU samples of one thread as V8's profile in JSON, for the DevTools of browsers and VS Code.
 *
 * Source: the DevTools protocol, `Profiler.Profile`: times are in microseconds, lines and columns begin at 0, and -1
 * stands for none. Readers take a sample to last until the next one, so what is not time on a processor is a sample of
 * V8's node for idle time.
 */
import type { TraceEvent } from '../trace/trace-event.ts';
import type { ChargedSample } from '../view/cpu/charged-samples.ts';
import type { SampledStack } from '../view/cpu/cpu-profile.ts';
import type { Frame, FrameNames } from '../view/cpu/frame-names.ts';
import { countText } from '../view/number-text.ts';
import type { ExportedEnd, ExportedTrace, Exporter } from './exporter.ts';
import { JsonPieces } from './json-pieces.ts';
import { ProfileFunctions, ProfileSamples } from './profile-samples.ts';

/** All threads together. */
const MAX_SAMPLES = 4_000_000;
const MAX_NODES = 2_000_000;

/** The samples of a thread with time on a processor, as numbers: there can be millions. */
interface SampledThread {
  readonly threadId: number | undefined;
  readonly processId: number | undefined;
  readonly stacks: SampledStack[];
  /** Nanoseconds since the start of the trace. */
  readonly times: number[];
  /** Nanoseconds on a processor; NaN for the usual interval. */
  readonly durations: number[];
}

interface CallNode {
  readonly id: number;
  readonly callFrame: object;
  hitCount: number;
  readonly callees: Map<number, CallNode>;
}

export class CpuprofileExport implements Exporter {
  readonly notices: string[] = [];
  /** The export is never full: functions may be named after the samples. */
  readonly isFull: boolean = false;
  readonly #trace: ExportedTrace;
  readonly #samples: ProfileSamples;
  readonly #threads = new Map<string, SampledThread>();
  #count = 0;
  #dropped = 0;

  constructor(trace: ExportedTrace, names: FrameNames) {
    this.#trace = trace;
    this.#samples = new ProfileSamples(names, (sample) => this.#addSample(sample));
  }

  add(event: TraceEvent): void {
    this.#samples.add(event);
  }

  take(): string {
    return '';
  }

  get contents(): string {
    return this.#samples.contents;
  }

  *end({ mappings, processNames }: ExportedEnd): Generator<string, void> {
    this.#samples.end();
    const thread = this.#busiest();
    const code = new ProfileFunctions((stack) => this.#samples.framesOf(stack, mappings));
    const tree = new CallTree(code);
    const { startTime, hasWallTime } = this.#trace.info;
    const startUs = hasWallTime ? Number(startTime / 1000n) : 0;
    const { samples, deltas, endUs } = this.#timeline(thread, tree);
    const json = new JsonPieces();
    json.text('{"nodes":[');
    for (const { id, callFrame, hitCount, callees } of tree.nodes) {
      const children = Array.from(callees.values(), (callee) => callee.id);
      json.element({ id, callFrame, hitCount, ...(children.length > 0 && { children }) });
      if (json.isFull) yield json.take();
    }
    json.text(`],\n"startTime":${startUs},"endTime":${startUs + endUs},\n"samples":[`);
    yield* numbers(json, samples);
    json.text('],\n"timeDeltas":[');
    yield* numbers(json, deltas);
    json.text(']}\n');
    yield json.take();
    this.#notice(thread, processNames);
  }

  #addSample({ subject: stack, threadId, timeNs, ns, onCpu, isBusy }: ChargedSample): void {
    const duration = ns === undefined ? Number.NaN : ns * onCpu;
    if (!isBusy || duration === 0) return;
    if (this.#count >= MAX_SAMPLES) {
      this.#dropped++;
      return;
    }
    this.#count++;
    const { processId } = stack;
    const key = `${processId} ${threadId}`;
    let thread = this.#threads.get(key);
    if (thread === undefined) {
      thread = { threadId, processId, stacks: [], times: [], durations: [] };
      this.#threads.set(key, thread);
    }
    thread.stacks.push(stack);
    thread.times.push(timeNs);
    thread.durations.push(duration);
  }

  #busiest(): SampledThread | undefined {
    const cpuNs = ({ durations }: SampledThread) =>
      durations.reduce((sum, ns) => sum + (Number.isNaN(ns) ? this.#samples.intervalNs : ns), 0);
    return [...this.#threads.values()]
      .map((thread) => ({ thread, ns: cpuNs(thread) }))
      .reduce<{ thread?: SampledThread; ns: number }>((most, each) => (each.ns > most.ns ? each : most), {
        ns: -1,
      }).thread;
  }

  /** Of samples that overlap, the later one begins when the earlier one ends: no time is lost. */
  #timeline(thread: SampledThread | undefined, tree: CallTree) {
    const samples: number[] = [];
    const deltas: number[] = [];
    let writtenUs = 0;
    let endNs = 0;
    const write = (node: CallNode, atNs: number) => {
      const atUs = Math.round(atNs / 1000);
      node.hitCount++;
      samples.push(node.id);
      deltas.push(atUs - writtenUs);
      writtenUs = atUs;
    };
    write(tree.idle, 0);
    for (const [index, stack] of (thread?.stacks ?? []).entries()) {
      const node = tree.leafOf(stack);
      const atNs = Math.max(endNs, thread?.times[index] ?? 0);
      const ns = thread?.durations[index] ?? 0;
      if (node === undefined) continue;
      if (atNs > endNs && endNs > 0) write(tree.idle, endNs);
      write(node, atNs);
      endNs = atNs + (Number.isNaN(ns) ? this.#samples.intervalNs : ns);
    }
    write(tree.idle, endNs);
    return { samples, deltas, endUs: Math.max(writtenUs, Math.round(this.#samples.nowNs / 1000)) };
  }

  #notice(shown: SampledThread | undefined, processNames: ReadonlyMap<number, string>): void {
    this.notices.push(...this.#samples.notices(this.#dropped));
    const others = this.#count - (shown?.stacks.length ?? 0);
    if (shown === undefined || others === 0) return;
    const { threadId, processId } = shown;
    const process = processId === undefined ? '' : ` of ${processNames.get(processId) ?? processId}`;
    this.notices.push(
      `A .cpuprofile has one thread, here ${threadId}${process}: ${countText(others, 'CPU sample')} of others are omitted.`,
    );
  }
}

/** The calls of the samples, each node once. */
class CallTree {
  /** Callers come before their callees. */
  readonly nodes: CallNode[] = [];
  readonly idle: CallNode;
  readonly #root: CallNode;
  readonly #code: ProfileFunctions;
  readonly #leaves = new Map<SampledStack, CallNode>();

  constructor(code: ProfileFunctions) {
    this.#code = code;
    this.#root = this.#node({ name: '(root)', module: '' });
    this.idle = this.#node({ name: '(idle)', module: '' });
    this.#root.callees.set(-1, this.idle);
  }

  /** Where the samples of a stack count: for its caller, if a function no longer fits. */
  leafOf(stack: SampledStack): CallNode | undefined {
    const known = this.#leaves.get(stack);
    const frames = known === undefined ? this.#code.of(stack) : undefined;
    if (frames === undefined) return known;
    let node = this.#root;
    for (let i = frames.length - 1; i >= 0; i--) {
      const frame = frames[i] as number;
      let callee = node.callees.get(frame);
      if (callee === undefined) {
        if (this.nodes.length >= MAX_NODES) break;
        callee = this.#node(this.#code.functions.values[frame] as Frame);
        node.callees.set(frame, callee);
      }
      node = callee;
    }
    this.#leaves.set(stack, node);
    return node;
  }

  #node(frame: Frame): CallNode {
    const node = { id: this.nodes.length + 1, callFrame: callFrame(frame), hitCount: 0, callees: new Map() };
    this.nodes.push(node);
    return node;
  }
}

function callFrame({ name, module, place }: Frame): object {
  if (place !== undefined) {
    const { name: functionName, file, line, column } = place;
    return { functionName, scriptId: '0', url: file, lineNumber: line - 1, columnNumber: column - 1 };
  }
  // Sessions name the module of V8's own names, such as (program).
  const functionName = name.replace(/^native\./, '');
  const url = functionName.startsWith('(') ? '' : module;
  return { functionName, scriptId: '0', url, lineNumber: -1, columnNumber: -1 };
}

function* numbers(json: JsonPieces, values: readonly number[]): Generator<string, void> {
  for (const [index, value] of values.entries()) {
    json.text(index === 0 ? `${value}` : `,${value}`);
    if (json.isFull) yield json.take();
  }
}
