/** The first of two passes over several traces: collects what is needed to put their events in order. */
import type { Trace } from '../../trace/trace.ts';
import type { TraceInfo } from '../../trace/trace-reader.ts';
import { TraceActivities } from '../trace-activities.ts';
import type { RequestBetween } from './joined-spans.ts';
import { JoinedSpans } from './joined-spans.ts';
import { type ClockSpan, type TraceClock, traceClocks } from './trace-clocks.ts';

/** A trace, as the second pass needs it. */
export interface SurveyedTrace {
  readonly info: TraceInfo;
  readonly clock: TraceClock;
  /** How much later its times are on that clock than in the trace, where they count from its own start. */
  readonly aheadNs: number;
  /** The ids of its processes in the merged trace, if another machine has a process with the same id. */
  readonly processIds: ReadonlyMap<number, number>;
}

/** Added to a process id, repeatedly if needed, while the id is taken: no system gives a process such a number. */
const OTHER_MACHINE = 10_000_000;
/** The limit applies to each trace; corrupt traces may have any number. */
const MAX_PROCESSES = 100_000;

export class TraceSurvey {
  readonly #joined = new JoinedSpans();
  readonly #machines: string[] = [];
  readonly #spans: ClockSpan[] = [];
  readonly #traces: (Omit<SurveyedTrace, 'clock' | 'processIds'> & {
    readonly machine: number;
    /** Traces with the same one use each process id for the same process. */
    readonly idSpace: string;
    readonly processes: ReadonlySet<number>;
  })[] = [];

  /**
   * Reads a trace to its end, or to the damage if that is only a warning.
   *
   * @param onProgress called for each batch
   */
  async add(trace: Trace, onProgress: () => void): Promise<void> {
    const { info } = trace;
    const machine = this.#machineOf(info, this.#traces.length);
    const aheadNs = this.#aheadOf(info);
    const processes = new Set<number>();
    const activities = new TraceActivities();
    for await (const batch of trace.batches()) {
      onProgress();
      for (const event of batch) {
        if (event.processId !== undefined && processes.size < MAX_PROCESSES) processes.add(event.processId);
        const change = activities.add(event);
        if (change !== undefined) this.#joined.add(machine, change, aheadNs);
      }
    }
    const toNs = Math.max(0, activities.nowNs) + aheadNs;
    const { fromNs, toNs: before } = this.#spans[machine] ?? { fromNs: aheadNs, toNs };
    this.#spans[machine] = { fromNs: Math.min(fromNs, aheadNs), toNs: Math.max(before, toNs) };
    const idSpace = `${machine} ${info.properties.PidNamespace ?? ''}`;
    this.#traces.push({ info, aheadNs, machine, idSpace, processes });
  }

  get result(): readonly SurveyedTrace[] {
    const requests: readonly RequestBetween[] = [...this.#joined.requests()];
    const clocks = traceClocks(this.#spans, requests);
    const spaceOf = new Map<number, string>();
    return this.#traces.map(({ info, aheadNs, machine, idSpace, processes }) => ({
      info,
      aheadNs,
      clock: clocks[machine] as TraceClock,
      processIds: renamed(processes, idSpace, spaceOf),
    }));
  }

  /** The index of a trace's machine and boot, which determine its clock. */
  #machineOf({ format, properties }: TraceInfo, index: number): number {
    // All files of one Windows recording share the time; Linux gives each boot an id, which tracewright's sessions note.
    const { bootTime, BootId } = properties;
    const boot = BootId ?? (format === 'etl' ? bootTime : undefined);
    const name = boot === undefined ? `trace ${index}` : `booted ${boot}`;
    const known = this.#machines.indexOf(name);
    return known >= 0 ? known : this.#machines.push(name) - 1;
  }

  /** If one of them lacks the time of day, both start at the same time, unless requests show otherwise. */
  #aheadOf(info: TraceInfo): number {
    const first = this.#traces[0]?.info ?? info;
    return info.hasWallTime === first.hasWallTime ? Number(info.startTime - first.startTime) : 0;
  }
}

function renamed(
  processes: ReadonlySet<number>,
  idSpace: string,
  spaceOf: Map<number, string>,
): ReadonlyMap<number, number> {
  const names = new Map<number, number>();
  for (const processId of processes) {
    let name = processId;
    while ((spaceOf.get(name) ?? idSpace) !== idSpace) name += OTHER_MACHINE;
    spaceOf.set(name, idSpace);
    if (name !== processId) names.set(processId, name);
  }
  return names;
}
