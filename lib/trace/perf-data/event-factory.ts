/** Creates an event for each sample, of the kind determined by its attribute and its tracepoint's format. */
import type { PerfAttr } from '../../wire/perf-data/attr.ts';
import { PerfType } from '../../wire/perf-data/constants.ts';
import { eventNameOf } from '../../wire/perf-data/event-name.ts';
import type { SampleKind, SampleRecord } from '../../wire/perf-data/sample.ts';
import type { PerfSession } from '../../wire/perf-data/session.ts';
import type { TraceEvent } from '../trace-event.ts';
import { CounterEvent } from './counter-event.ts';
import { EventHeaderEvent } from './event-header-event.ts';
import { EventHeaderTracepoint } from './event-header-tracepoint.ts';
import { EventPipeEvent } from './event-pipe-event.ts';
import type { MetadataStore } from './metadata-store.ts';
import { PlainTracepointEvent, withoutActivityIds } from './plain-tracepoint-event.ts';
import type { Recording } from './sample-event.ts';
import { TracepointEvent } from './tracepoint-event.ts';

/** @param timeHigh,timeLow the halves of the time, on the recording's clock */
type MakeEvent = (sample: SampleRecord, timeHigh: number, timeLow: number) => TraceEvent;

export class EventFactory {
  readonly #recording: Recording;
  readonly #session: PerfSession;
  readonly #metadata: MetadataStore;
  readonly #makers = new Map<SampleKind, MakeEvent>();
  #lastKind: SampleKind | undefined;
  #lastMaker: MakeEvent | undefined;

  constructor(recording: Recording, session: PerfSession, metadata: MetadataStore) {
    this.#recording = recording;
    this.#session = session;
    this.#metadata = metadata;
  }

  eventOf(sample: SampleRecord, timeHigh: number, timeLow: number): TraceEvent {
    const { of } = sample;
    if (of === this.#lastKind && this.#lastMaker !== undefined)
      return this.#lastMaker(sample, timeHigh, timeLow);
    let make = this.#makers.get(of);
    if (make === undefined) {
      make = this.#makerOf(of);
      this.#makers.set(of, make);
    }
    this.#lastKind = of;
    this.#lastMaker = make;
    return make(sample, timeHigh, timeLow);
  }

  #makerOf({ attr, tracepoint, layout, isOfEventPipe }: SampleKind): MakeEvent {
    const recording = this.#recording;
    if (tracepoint === undefined || !layout.hasRaw) {
      const [provider, name] =
        tracepoint === undefined ? this.#namesOf(attr) : [tracepoint.system, tracepoint.name];
      return (sample, high, low) => new CounterEvent(recording, sample, high, low, provider, name);
    }
    if (tracepoint.eventHeaderOffset !== undefined) {
      const described = new EventHeaderTracepoint(tracepoint);
      return (sample, high, low) => new EventHeaderEvent(recording, sample, high, low, described);
    }
    if (isOfEventPipe) {
      const store = this.#metadata;
      return (sample, high, low) => new EventPipeEvent(recording, sample, high, low, tracepoint, store);
    }
    const plain = withoutActivityIds(tracepoint);
    if (plain !== undefined) {
      return (sample, high, low) => new PlainTracepointEvent(recording, sample, high, low, plain, tracepoint);
    }
    return (sample, high, low) => new TracepointEvent(recording, sample, high, low, tracepoint);
  }

  /** Names a tracepoint without a format `sched` and `sched_switch`, everything else `perf` and `cycles`. */
  #namesOf(attr: PerfAttr): [provider: string, name: string] {
    const name = this.#session.nameOf(attr) || eventNameOf(attr);
    const colon = attr.type === PerfType.Tracepoint ? name.indexOf(':') : -1;
    return colon < 0 ? ['perf', name] : [name.slice(0, colon), name.slice(colon + 1)];
  }
}
