/** Several traces as one: their events on the clock of the first, with processes kept distinct. */
import { Heap, type HeapItem } from '../../base/heap.ts';
import { type OpenTraceOptions, openTrace } from '../../trace/open-trace.ts';
import { Trace } from '../../trace/trace.ts';
import type { TraceEvent } from '../../trace/trace-event.ts';
import type { StackCounts, TraceInfo, TraceProgress, TraceReader } from '../../trace/trace-reader.ts';
import { aheadAt } from './clock-region.ts';
import { MergedEvent } from './merged-event.ts';
import type { TraceClock } from './trace-clocks.ts';
import { type SurveyedTrace, TraceSurvey } from './trace-survey.ts';

/** A trace that can be read twice. */
export interface MergeInput {
  /** Messages contain this name. */
  readonly name: string;
  /** @param onDamage as for `openTrace` */
  open(onDamage: 'error' | 'warning'): Promise<Trace>;
}

/** What the survey found out about one of the traces. */
export interface MergedInput {
  readonly name: string;
  readonly info: TraceInfo;
  readonly clock: TraceClock;
  /** Process ids that another machine uses as well, and their replacements. */
  readonly processIds: ReadonlyMap<number, number>;
}

/** Events per batch. */
const BATCH_SIZE = 1000;

export class MergedTrace extends Trace {
  readonly inputs: readonly MergedInput[];

  constructor(name: string, reader: MergedReader, inputs: readonly MergedInput[]) {
    super({ name, size: reader.size, close: () => reader.close() }, reader, 'error');
    this.inputs = inputs;
  }
}

/**
 * Reads all traces once to compare their clocks, then opens them again as one.
 *
 * @param onSurvey called for each batch of the first pass
 */
export async function openMergedTrace(
  inputs: readonly MergeInput[],
  onSurvey: (trace: Trace) => void = () => {},
): Promise<MergedTrace> {
  const survey = new TraceSurvey();
  for (const input of inputs) {
    const trace = await input.open('warning');
    try {
      await survey.add(trace, () => onSurvey(trace));
    } finally {
      await trace.close();
    }
  }
  const lanes: Lane[] = [];
  try {
    const { result } = survey;
    const zero = result[0]?.info.startTime ?? 0n;
    for (const [i, surveyed] of result.entries()) {
      lanes.push(new Lane(await (inputs[i] as MergeInput).open('error'), surveyed, i, zero));
    }
  } catch (error) {
    await Promise.all(lanes.map(({ trace }) => trace.close()));
    throw error;
  }
  const merged = lanes.map(({ surveyed: { info, clock, processIds } }, i) => {
    return { name: (inputs[i] as MergeInput).name, info, clock, processIds };
  });
  const name = merged.map((input) => input.name).join(', ');
  return new MergedTrace(name, new MergedReader(lanes, merged), merged);
}

/**
 * Opens several traces as one: their activities are joined by W3C's trace and span ids, and their times corrected to the
 * clock of the first. Each file is read twice.
 *
 * @param paths of traces of any formats and machines
 * @throws TraceError if one of them is no trace
 */
export async function openTraces(paths: readonly string[], options: OpenTraceOptions = {}): Promise<Trace> {
  const [first] = paths;
  if (first === undefined) throw new TypeError('openTraces needs the path of at least one trace.');
  if (paths.length === 1) return openTrace(first, options);
  const open = (path: string) => (onDamage: 'error' | 'warning') => openTrace(path, { onDamage, ...options });
  return openMergedTrace(paths.map((path) => ({ name: path, open: open(path) })));
}

/** One of the traces, and the merge's position in it. */
class Lane implements HeapItem {
  readonly trace: Trace;
  readonly surveyed: SurveyedTrace;
  readonly order: number;
  readonly startTime: bigint;
  heapIndex = -1;
  time = 0n;
  /** The error that ends it. */
  failure: { readonly error: unknown } | undefined = undefined;
  readonly #batches: AsyncGenerator<readonly TraceEvent[]>;
  #batch: readonly TraceEvent[] = [];
  #next = 0;

  readonly #zero: bigint;

  /** @param zero when the first trace starts */
  constructor(trace: Trace, surveyed: SurveyedTrace, order: number, zero: bigint) {
    this.trace = trace;
    this.surveyed = surveyed;
    this.order = order;
    this.#batches = trace.batches();
    this.#zero = zero;
    this.startTime = this.#timeAt(0n);
  }

  get event(): TraceEvent | undefined {
    return this.#batch[this.#next];
  }

  /** Whether the next event is available; otherwise `fill` reads it. */
  advance(): boolean {
    this.#next++;
    return this.#read();
  }

  /** False at the end. */
  async fill(): Promise<boolean> {
    try {
      for (;;) {
        const { done, value } = await this.#batches.next();
        if (done) return false;
        this.#batch = value;
        this.#next = 0;
        if (this.#read()) return true;
      }
    } catch (error) {
      this.failure = { error };
      return false;
    }
  }

  processId(processId: number): number {
    return this.surveyed.processIds.get(processId) ?? processId;
  }

  #read(): boolean {
    const { event } = this;
    if (event === undefined) return false;
    this.time = this.#timeAt(event.timeSinceStart);
    return true;
  }

  #timeAt(sinceStart: bigint): bigint {
    const { clock, aheadNs } = this.surveyed;
    const shownNs = Number(sinceStart) + aheadNs;
    return this.#zero + sinceStart + BigInt(aheadNs - Math.round(aheadAt(clock.line, shownNs)));
  }
}

class MergedReader implements TraceReader {
  readonly info: TraceInfo;
  /** The size of all traces together, in bytes. */
  readonly size: number | undefined;
  readonly progress: TraceProgress;
  readonly #lanes: readonly Lane[];

  constructor(lanes: readonly Lane[], inputs: readonly MergedInput[]) {
    this.#lanes = lanes;
    this.progress = new MergedProgress(lanes);
    this.info = infoOf(lanes, inputs);
    const sizes = lanes.map(({ trace }) => trace.size);
    this.size = sizes.every((size) => size !== undefined)
      ? sizes.reduce((sum, size) => sum + size, 0)
      : undefined;
  }

  async *batches(): AsyncGenerator<readonly TraceEvent[], void, undefined> {
    const ready = new Heap<Lane>((a, b) => a.time < b.time || (a.time === b.time && a.order < b.order));
    for (const lane of this.#lanes) if (await lane.fill()) ready.add(lane);
    let batch: TraceEvent[] = [];
    for (let lane = ready.first; lane !== undefined; lane = ready.first) {
      batch.push(this.#eventOf(lane));
      const isAtHand = lane.advance();
      // Return what has been merged first: the end of a lane may take long to arrive.
      if (batch.length >= BATCH_SIZE || (!isAtHand && batch.length > 0)) {
        yield batch;
        batch = [];
      }
      if (isAtHand || (await lane.fill())) ready.moved(lane);
      else ready.remove(lane);
    }
    const failed = this.#lanes.find(({ failure }) => failure !== undefined);
    if (failed?.failure !== undefined) throw failed.failure.error;
  }

  async close(): Promise<void> {
    await Promise.all(this.#lanes.map(({ trace }) => trace.close()));
  }

  #eventOf(lane: Lane): TraceEvent {
    const event = lane.event as TraceEvent;
    const processId = event.processId === undefined ? undefined : lane.processId(event.processId);
    return new MergedEvent(event, lane.time, lane.time - this.info.startTime, processId);
  }
}

class MergedProgress implements TraceProgress {
  readonly #lanes: readonly Lane[];

  constructor(lanes: readonly Lane[]) {
    this.#lanes = lanes;
  }

  get lostEvents(): number {
    return this.#sum(({ lostEvents }) => lostEvents);
  }

  get lostBuffers(): number {
    return this.#sum(({ lostBuffers }) => lostBuffers);
  }

  get lateEvents(): number {
    return this.#sum(({ lateEvents }) => lateEvents);
  }

  get unread(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const { trace } of this.#lanes) {
      for (const [what, count] of trace.unread) all.set(what, (all.get(what) ?? 0) + count);
    }
    return all;
  }

  get stacks(): StackCounts | undefined {
    const all = this.#lanes.flatMap(({ trace }) => trace.stacks ?? []);
    if (all.length === 0) return undefined;
    const sum = (name: keyof StackCounts) => all.reduce((total, counts) => total + counts[name], 0);
    return {
      events: sum('events'),
      withoutEvent: sum('withoutEvent'),
      withoutFrames: sum('withoutFrames'),
      withoutUserPart: sum('withoutUserPart'),
    };
  }

  get bytesRead(): number {
    return this.#sum(({ bytesRead }) => bytesRead);
  }

  get processNames(): Map<number, string> {
    const names = new Map<number, string>();
    for (const lane of this.#lanes) {
      for (const [processId, name] of lane.trace.processNames) names.set(lane.processId(processId), name);
    }
    return names;
  }

  #sum(count: (trace: Trace) => number): number {
    return this.#lanes.reduce((total, { trace }) => total + count(trace), 0);
  }
}

/** The first trace's info, unless the others differ. */
function infoOf(lanes: readonly Lane[], inputs: readonly MergedInput[]): TraceInfo {
  const [first] = inputs as readonly [MergedInput];
  const { format, formatVersion, pointerSize, hasWallTime } = first.info;
  const [startTime = 0n] = lanes.map((lane) => lane.startTime).sort((a, b) => (a < b ? -1 : 1));
  const problems = inputs.flatMap(({ name, info }) =>
    (info.problems ?? []).map((problem) => `${name}: ${problem}`),
  );
  const isSame = inputs.every(({ info }) => info.formatVersion === formatVersion && info.format === format);
  return {
    format,
    ...(isSame && formatVersion !== undefined && { formatVersion }),
    startTime,
    hasWallTime,
    pointerSize,
    properties: {},
    ...(problems.length > 0 && { problems }),
  };
}
