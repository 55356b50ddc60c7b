/** What a report shows above its activities: counters, the event loop and garbage collections over time. */
import type { TraceEvent } from '../../trace/trace-event.ts';
import { counterValues } from '../counter-values.ts';
import { Interned } from './interned.ts';
import { ReportColumn } from './report-column.ts';
import type { ReportTrack } from './report-header.ts';
import type { ReportNames } from './report-names.ts';

const MAX_TRACKS = 200;
const MAX_POINTS = 500_000;
const MAX_KINDS = 100;
/** Collections of .NET that have not ended: more than one per process is a loss of events. */
const MAX_OPEN = 10_000;
const NS_PER_MS = 1e6;

const NODE = 'Node.Runtime';
const DOTNET = 'Microsoft-Windows-DotNETRuntime';

/** Takes the values of the events of one kind. */
type Reader = (event: TraceEvent, nowNs: number) => void;

export class TrackColumns {
  /**
   * Each point has an index into `tracks`, nanoseconds since the start of the trace, and a value; of spans, the name.
   */
  readonly track: ReportColumn = new ReportColumn();
  readonly time: ReportColumn = new ReportColumn();
  readonly value: ReportColumn = new ReportColumn();
  readonly kind: ReportColumn = new ReportColumn();
  omitted = 0;
  readonly #names: ReportNames;
  readonly #tracks = new Interned<ReportTrack>();
  readonly #kinds = new Interned<string>();
  /** The index is a kind of event; undefined for those without values. */
  readonly #readers: (Reader | undefined)[] = [];
  /** The starts of .NET's collections, by process and number. */
  readonly #open = new Map<string, { readonly startNs: number; readonly kind: string }>();
  #points = 0;

  constructor(names: ReportNames) {
    this.#names = names;
  }

  get tracks(): readonly ReportTrack[] {
    return this.#tracks.values;
  }

  get kinds(): readonly string[] {
    return this.#kinds.values;
  }

  /** @param kind the index of the event's kind in the report */
  add(event: TraceEvent, nowNs: number, kind: number): void {
    if (!(kind in this.#readers)) this.#readers[kind] = this.#readerOf(event);
    this.#readers[kind]?.(event, nowNs);
  }

  #readerOf({ provider, name }: TraceEvent): Reader | undefined {
    if (provider === NODE) return this.#nodeReaders[name];
    if (provider === DOTNET && (name === 'GC/Start' || name === 'GC/Stop')) {
      return (event, nowNs) => this.#dotNetCollection(event, nowNs);
    }
    const isCounter = name === 'EventCounters' || name.endsWith('ValuePublished');
    return isCounter ? (event, nowNs) => this.#counter(event, nowNs) : undefined;
  }

  readonly #nodeReaders: Readonly<Record<string, Reader>> = {
    __proto__: null as never,
    GarbageCollection: (event, nowNs) => {
      const { startedAgoMSec, durationMSec, kind } = event.payload;
      const startNs = nowNs - Number(startedAgoMSec) * NS_PER_MS;
      this.#collection(event, startNs, Number(durationMSec) * NS_PER_MS, `${kind}`);
    },
    EventLoop: (event, nowNs) => {
      const { delayMaxMSec, delayP99MSec, utilization } = event.payload;
      this.#value(event, nowNs, 'Event-loop delay, longest', 'ms', Number(delayMaxMSec));
      this.#value(event, nowNs, 'Event-loop delay, p99', 'ms', Number(delayP99MSec));
      this.#value(event, nowNs, 'Event-loop utilization', '%', 100 * Number(utilization));
    },
    ThreadPoolDelay: (event, nowNs) => {
      const { submittedAgoMSec, delayMSec } = event.payload;
      const submittedNs = nowNs - Number(submittedAgoMSec) * NS_PER_MS;
      this.#value(event, submittedNs, 'Thread-pool queue, delay', 'ms', Number(delayMSec));
    },
    HeapStatistics: (event, nowNs) => {
      const { usedHeapSize, externalMemory, residentSetSize } = event.payload;
      this.#value(event, nowNs, 'Heap in use', 'B', Number(usedHeapSize));
      this.#value(event, nowNs, 'External memory', 'B', Number(externalMemory));
      this.#value(event, nowNs, 'Resident memory', 'B', Number(residentSetSize));
    },
  };

  #counter(event: TraceEvent, nowNs: number): void {
    for (const { provider, displayName, tags, unit, isRate, interval, value } of counterValues(
      event,
      undefined,
      1,
    )) {
      if (value === undefined) continue;
      const isOfRuntime = provider === 'System.Runtime';
      const title = [isOfRuntime ? '' : provider, displayName, tags].filter(Boolean).join(' ');
      const rate = value / (interval > 0 ? interval : 1);
      this.#value(event, nowNs, title, isRate ? `${unit}/s` : unit, isRate ? rate : value);
    }
  }

  #dotNetCollection(event: TraceEvent, nowNs: number): void {
    const { Count, Depth, Type } = event.payload;
    const key = `${event.processId} ${Count}`;
    if (event.name === 'GC/Start') {
      const kind = `generation ${Depth}${Number(Type) === 1 ? ', in the background' : ''}`;
      if (this.#open.size < MAX_OPEN) this.#open.set(key, { startNs: nowNs, kind });
      return;
    }
    const start = this.#open.get(key);
    this.#open.delete(key);
    if (start !== undefined) this.#collection(event, start.startNs, nowNs - start.startNs, start.kind);
  }

  #collection(event: TraceEvent, startNs: number, durationNs: number, kind: string): void {
    const isNew = this.#kinds.values.length < MAX_KINDS;
    const name = isNew ? kind : '(others)';
    const index = this.#kinds.indexOf(name, () => this.#names.name(name));
    this.#point(event, startNs, { title: 'Garbage collection', unit: '', isSpans: true }, durationNs, index);
  }

  #value(event: TraceEvent, nowNs: number, title: string, unit: string, value: number): void {
    this.#point(event, nowNs, { title, unit, isSpans: false }, value, undefined);
  }

  #point(
    { processId, threadId, provider }: TraceEvent,
    timeNs: number,
    { title, unit, isSpans }: Omit<ReportTrack, 'thread'>,
    value: number,
    kind: number | undefined,
  ): void {
    if (!Number.isFinite(value) || !Number.isFinite(timeNs)) return;
    // Counters belong to the process, whichever thread reports them.
    const thread = this.#names.thread(processId, provider === NODE ? threadId : undefined);
    const key = `${thread} ${unit}\0${title}`;
    const isFull = this.#points >= MAX_POINTS;
    if (isFull || (!this.#tracks.has(key) && this.#tracks.values.length >= MAX_TRACKS)) {
      this.omitted++;
      return;
    }
    this.#points++;
    const track = this.#tracks.indexOf(key, () => ({
      title: this.#names.name(title),
      unit: this.#names.name(unit),
      thread,
      isSpans,
    }));
    this.track.varUint(track);
    this.time.varUint(Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.round(timeNs))));
    this.value.double(value);
    this.kind.optionalVarUint(kind);
  }
}
