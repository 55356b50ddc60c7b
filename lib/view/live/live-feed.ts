/**
 * What a live view shows: the latest events of processes that run, their open activities and how long those that ended
 * took. The last events of each are kept, so that they can be looked at as a report. Memory is bounded.
 */

import { timeText } from '../../trace/time-text.ts';
import type { Trace } from '../../trace/trace.ts';
import { jsonField, type TraceEvent } from '../../trace/trace-event.ts';
import { ActivityStats } from '../activity-stats.ts';
import { CpuProfile } from '../cpu/cpu-profile.ts';
import { FrameNames } from '../cpu/frame-names.ts';
import { boundaryOf, eventName, isFailedStop } from '../event-names.ts';
import { ExplainedActivities } from '../explain/explained-activities.ts';
import { Findings } from '../explain/findings.ts';
import { sentenceOf } from '../explain/sentences.ts';
import { type ReportContent, TraceReport } from '../report/trace-report.ts';
import type { ActivityChange, TraceActivities } from '../trace-activities.ts';
import type { LiveRow, LiveSourceState, LiveUpdate, NameDurations, RunningActivity } from './live-update.ts';

/** Limits the kept events of one source. */
const MAX_EVENTS = 50_000;
/** Their payloads; events also keep what was read together with them. */
const MAX_SIZE = 32 << 20;
/** Those that end first make room. */
const MAX_SOURCES = 16;
/** Limits the rows of an update. */
const MAX_ROWS = 500;
const MAX_RUNNING = 500;
const MAX_NAMES = 200;
const MAX_TEXT = 500;
/** The stacks of a source that are told apart have at most so many addresses. */
const MAX_ADDRESSES = 500_000;

export type LiveTrace = Pick<Trace, 'info' | 'processNames' | 'lostEvents' | 'mappings'>;

export class LiveSource {
  readonly number: number;
  readonly name: string;
  isOpen = true;
  eventCount = 0;
  readonly #trace: LiveTrace;
  /** Nanoseconds from the start of the first source. */
  readonly #offset: number;
  readonly #activities: TraceActivities;
  readonly #findings = new Findings({ slowest: 1, isChosen: false });
  readonly #profile = new CpuProfile(new FrameNames(), MAX_ADDRESSES);
  readonly #explained = new ExplainedActivities({
    take: (time) => this.#findings.add(time),
    profile: this.#profile,
  });
  readonly #stats = new ActivityStats();
  /** A ring: the next event replaces the one at `eventCount`. */
  readonly #events: (TraceEvent | undefined)[] = [];
  #size = 0;
  /** The number of the oldest event that is kept. */
  #first = 0;

  constructor(number: number, name: string, trace: LiveTrace, offset: number) {
    this.number = number;
    this.name = name;
    this.#trace = trace;
    this.#offset = offset;
    this.#activities = this.#explained.activities;
  }

  /** Takes the next event in time order. */
  add(event: TraceEvent): void {
    const change = this.#explained.add(event);
    if (change?.boundary === 'Stop') this.#count(event, change);
    if (this.eventCount - this.#first === MAX_EVENTS) this.#drop();
    this.#events[this.eventCount++ % MAX_EVENTS] = event;
    this.#size += event.payloadBytes.length;
    while (this.#size > MAX_SIZE) this.#drop();
  }

  /** Counts by route, which only the Stop says. */
  #count(stop: TraceEvent, change: ActivityChange): void {
    const { route } = stop.payload;
    const group = typeof route === 'string' && route !== '' ? route : undefined;
    if (change.activity.state !== 'unstarted') this.#stats.add({ ...change, boundary: 'Start' }, group);
    this.#stats.add(change, group);
  }

  /** No event follows. */
  end(): void {
    this.isOpen = false;
    this.#explained.end();
  }

  get state(): LiveSourceState {
    const { number, name, isOpen, eventCount } = this;
    return { number, name, isOpen, events: eventCount, lost: this.#trace.lostEvents, answer: this.#answer() };
  }

  #answer(): string {
    const [slowest] = this.#findings.findings();
    const { mappings } = this.#trace;
    return slowest === undefined
      ? ''
      : short(sentenceOf(slowest, (stack) => this.#profile.framesOf(stack, mappings)));
  }

  get nowNs(): number {
    return this.#activities.nowNs + this.#offset;
  }

  /** The latest events from `after` on; if there are too many, first those about what the application does. */
  rows(after: number, limit: number): LiveRow[] {
    const chosen: TraceEvent[] = [];
    for (const isOfRuntime of [false, true]) {
      for (let at = this.eventCount - 1; at >= Math.max(after, this.#first); at--) {
        if (chosen.length === limit) break;
        const event = this.#events[at % MAX_EVENTS] as TraceEvent;
        if (isAboutRuntime(event) === isOfRuntime) chosen.push(event);
      }
    }
    return chosen
      .sort((a, b) => Number(a.timeSinceStart - b.timeSinceStart))
      .map((event) => this.#row(event));
  }

  /** The open activities, longest first; their depth counts those that are open around them. */
  running(): RunningActivity[] {
    const running: RunningActivity[] = [];
    for (const { label, startNs, depth } of this.#activities.open()) {
      if (running.length === MAX_RUNNING) break;
      running.push({ source: this.number, label: short(label), startNs: startNs + this.#offset, depth });
    }
    return running;
  }

  names(): NameDurations[] {
    const running = new Map<string, number>();
    for (const { name } of this.#activities.open()) running.set(name, (running.get(name) ?? 0) + 1);
    const ended = this.#stats.names.slice(0, MAX_NAMES).map((stats) => {
      const { name, group, isRest, stopped, failed, meanNs, durations } = stats;
      const of = isRest ? ' (others)' : group === undefined ? '' : ` ${group}`;
      const isPlain = group === undefined && !isRest;
      const open = isPlain ? (running.get(name) ?? 0) : 0;
      if (isPlain) running.delete(name);
      const [p95Ns, maxNs] = [durations.at(0.95), durations.at(1)];
      return { name: short(name + of), stopped, failed, running: open, meanNs, p95Ns, maxNs };
    });
    const times = { meanNs: undefined, p95Ns: undefined, maxNs: undefined };
    const begun = Array.from(running, ([name, count]) => ({
      name: short(name),
      stopped: 0,
      failed: 0,
      running: count,
      ...times,
    }));
    return [...ended, ...begun].slice(0, MAX_NAMES);
  }

  /** The events that are kept. */
  report(): ReportContent {
    const report = new TraceReport();
    for (let at = this.#first; at < this.eventCount; at++) {
      report.add(this.#events[at % MAX_EVENTS] as TraceEvent);
    }
    const { info, processNames, mappings, lostEvents } = this.#trace;
    const notices: string[] = [];
    if (this.#first > 0)
      notices.push(`These are the last events: ${this.#first} earlier ones are not shown.`);
    if (lostEvents > 0) notices.push(`${lostEvents} events were lost.`);
    const startTime = info.hasWallTime ? timeText(info.startTime) : undefined;
    return report.content({
      name: this.name,
      format: info.format,
      startTime,
      processNames,
      mappings,
      notices,
    });
  }

  #drop(): void {
    const at = this.#first++ % MAX_EVENTS;
    this.#size -= (this.#events[at] as TraceEvent).payloadBytes.length;
    this.#events[at] = undefined;
  }

  #row(event: TraceEvent): LiveRow {
    const { processId, threadId, activityPath, activityId, payload, hexFields } = event;
    let fields = '';
    for (const name in payload) {
      if (fields.length > MAX_TEXT) break;
      fields += `${name}=${JSON.stringify(jsonField(name, payload[name] as never, hexFields))} `;
    }
    return {
      atNs: event.nsSinceStart + this.#offset,
      thread: `${processId ?? '-'}/${threadId ?? '-'}`,
      name: short(eventName(event)),
      activity: activityPath ?? activityId ?? '',
      fields: short(fields.trimEnd()),
      isFailed: isError(event) || (boundaryOf(event) === 'Stop' && isFailedStop(event)),
      isOfRuntime: isAboutRuntime(event),
    };
  }
}

const ERROR_LEVEL = 2;

function isError({ level }: TraceEvent): boolean {
  return level > 0 && level <= ERROR_LEVEL;
}

/** Providers about the runtime itself, and values of counters. */
const OF_RUNTIME =
  /^(?:Node\.Runtime|System\.Runtime|System\.Threading\.Tasks\.TplEventSource|Microsoft-(?:DotNETCore|Windows-DotNETRuntime).*)$/;

function isAboutRuntime({ provider, name }: TraceEvent): boolean {
  return name === 'EventCounters' || OF_RUNTIME.test(provider);
}

export class LiveFeed {
  readonly #sources: LiveSource[] = [];
  #startTime: bigint | undefined;
  #count = 0;

  /** A process, or a recording of all. */
  open(name: string, trace: LiveTrace): LiveSource {
    this.#startTime ??= trace.info.startTime;
    const offset = Number(trace.info.startTime - this.#startTime);
    const source = new LiveSource(this.#count++, short(name), trace, offset);
    if (this.#sources.length === MAX_SOURCES) {
      const ended = this.#sources.findIndex(({ isOpen }) => !isOpen);
      this.#sources.splice(Math.max(0, ended), 1);
    }
    this.#sources.push(source);
    return source;
  }

  source(number: number): LiveSource | undefined {
    return this.#sources.find((source) => source.number === number);
  }

  /** How many events there have been, by source. */
  get counts(): Map<number, number> {
    return new Map(this.#sources.map(({ number, eventCount }) => [number, eventCount]));
  }

  /** @param seen the counts at the last update */
  update(seen: ReadonlyMap<number, number>): LiveUpdate {
    const sources = this.#sources;
    const limit = Math.max(1, Math.floor(MAX_ROWS / Math.max(1, sources.length)));
    const rows = sources.flatMap((source) => source.rows(seen.get(source.number) ?? 0, limit));
    const fresh = sources.reduce(
      (sum, { number, eventCount }) => sum + eventCount - (seen.get(number) ?? 0),
      0,
    );
    return {
      nowNs: Math.max(0, ...sources.map(({ nowNs }) => nowNs).filter(Number.isFinite)),
      sources: sources.map(({ state }) => state),
      rows: rows.sort((a, b) => a.atNs - b.atNs),
      omitted: Math.max(0, fresh - rows.length),
      running: sources.flatMap((source) => source.running()).slice(0, MAX_RUNNING),
      names: sources.flatMap((source) => source.names()).slice(0, MAX_NAMES),
    };
  }
}

function short(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
