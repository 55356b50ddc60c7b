/** The first of two passes over several traces: what must be known of all before their events can be told in order. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceInfo } from '../../trace/trace-reader.ts';
import { TraceActivities } from '../trace-activities.ts';
import type { RequestBetween } from './joined-spans.ts';
import { JoinedSpans } from './joined-spans.ts';
import { type ClockSpan, type TraceClock, traceClocks } from './trace-clocks.ts';

/** A trace as the second pass needs it. */
export interface SurveyedTrace {
  readonly info: TraceInfo;
  readonly clock: TraceClock;
  /** By how much later than since its own start its times are on that clock. */
  readonly aheadNs: number;
  /** What its processes are called among all, where another machine has one of the same number. */
  readonly processIds: ReadonlyMap<number, number>;
}

/** What is added, as often as it takes, to a process id that is taken: no system gives a process such a number. */
const OTHER_MACHINE = 10_000_000;
/** Of one trace; damaged ones may have any number. */
const MAX_PROCESSES = 100_000;

export class TraceSurvey {
  readonly #joined = new JoinedSpans();
  readonly #machines: string[] = [];
  readonly #spans: ClockSpan[] = [];
  readonly #traces: (Omit<SurveyedTrace, 'clock' | 'processIds'> & {
    readonly machine: number;
    readonly processes: ReadonlySet<number>;
  })[] = [];

  /**
   * Reads a trace to its end, or to its damage if that is a warning for it.
   *
   * @param onProgress called for each batch
   */
  async add(trace: Trace, onProgress: () => void): Promise<void> {
    const { info } = trace;
    const machine = this.#machineOf(info, this.#traces.length);
    const aheadNs = this.#aheadOf(info);
    const processes = new Set<number>();
    const tracker = new TraceActivities();
    for await (const batch of trace.batches()) {
      onProgress();
      for (const event of batch) {
        if (event.processId !== undefined && processes.size < MAX_PROCESSES) processes.add(event.processId);
        const change = tracker.add(event);
        if (change !== undefined) this.#joined.add(machine, change, aheadNs);
      }
    }
    const toNs = Math.max(0, tracker.nowNs) + aheadNs;
    const { fromNs, toNs: before } = this.#spans[machine] ?? { fromNs: aheadNs, toNs };
    this.#spans[machine] = { fromNs: Math.min(fromNs, aheadNs), toNs: Math.max(before, toNs) };
    this.#traces.push({ info, aheadNs, machine, processes });
  }

  get result(): readonly SurveyedTrace[] {
    const requests: readonly RequestBetween[] = [...this.#joined.requests()];
    const clocks = traceClocks(this.#spans, requests);
    const machineOf = new Map<number, number>();
    return this.#traces.map(({ info, aheadNs, machine, processes }) => ({
      info,
      aheadNs,
      clock: clocks[machine] as TraceClock,
      processIds: renamed(processes, machine, machineOf),
    }));
  }

  /** The number of the machine, or of its run since it was started, whose clock and processes a trace has. */
  #machineOf({ format, properties }: TraceInfo, index: number): number {
    // Of the files of one recording on Windows all have this; other formats tell nothing as certain.
    const { bootTime } = properties;
    const name = format === 'etl' && bootTime !== undefined ? `booted ${bootTime}` : `trace ${index}`;
    const known = this.#machines.indexOf(name);
    return known >= 0 ? known : this.#machines.push(name) - 1;
  }

  /** Where one of them does not tell the time of day, both start at once, unless requests say when. */
  #aheadOf(info: TraceInfo): number {
    const first = this.#traces[0]?.info ?? info;
    return info.hasWallTime === first.hasWallTime ? Number(info.startTime - first.startTime) : 0;
  }
}

function renamed(
  processes: ReadonlySet<number>,
  machine: number,
  machineOf: Map<number, number>,
): ReadonlyMap<number, number> {
  const names = new Map<number, number>();
  for (const processId of processes) {
    let name = processId;
    while ((machineOf.get(name) ?? machine) !== machine) name += OTHER_MACHINE;
    machineOf.set(name, machine);
    if (name !== processId) names.set(processId, name);
  }
  return names;
}
